"""What the command `lexicloud` runs first: so small that an interrupt during the imports still ends in one line."""


def main() -> None:
    """Import the command line and run it."""
    import sys

    try:
        from lexicloud.cli import main as run

        run()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("lexicloud: stopped\n")
        raise SystemExit(130) from None
