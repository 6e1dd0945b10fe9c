"""`python -m lexicloud` is `lexicloud`."""

from lexicloud.cli import main

if __name__ == "__main__":
    main()
