# Leave out what only C++ programs need of an interface package: the stand-ins serve Python alone,
# and C++ type support is two thirds of the time that building them takes.
list(FILTER AMENT_EXTENSIONS_rosidl_generate_idl_interfaces EXCLUDE REGEX
  "^rosidl_(generator_cpp|typesupport_cpp|typesupport_fastrtps_cpp|typesupport_introspection_cpp):")
