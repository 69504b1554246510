"""``python -m allpass`` is the command ``allpass``."""

from allpass.cli.main import run

if __name__ == "__main__":
    run()
