"""CoELA: an agent of five modules that works with others and talks to them."""
