"""The experiment runner. ../experiment.py is its command line."""
