"""Ways through the machine under test, each attached so that it goes with us."""
