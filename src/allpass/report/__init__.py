"""Figures and the HTML page of a diagnosis. Nothing below this room draws."""

from allpass.files import check_writable
from allpass.report.canvas import save
from allpass.report.page import render, write_page

__all__ = ["check_writable", "render", "save", "write_page"]
