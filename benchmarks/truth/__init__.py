"""How often right, and whether what is claimed holds: measured on texts that nothing was tuned on."""
