"""Language control of robot arms: a team of agents that plans, acts, looks and replans."""

from pkgutil import extend_path

# The generated msg, srv and action packages may be installed elsewhere than these modules (the
# source tree runs from where it is): let both share one package.
__path__ = extend_path(__path__, __name__)
__version__ = "0.1.0"
