"""The command `python -m tests.fuzz`."""

import sys

from tests.fuzz.command import main

sys.exit(main())
