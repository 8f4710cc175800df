package driver

import (
	"os"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/text"
)

// isTerminal reports whether a file is a terminal that can do more than a typewriter.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// style returns how to print findings on a file: on a terminal with colour, unless NO_COLOR
// is set (see no-color.org), and with the line of source, unless a flag says otherwise.
func (opts *options) style(to *os.File) text.Style {
	s := text.Style{Context: -1}
	if isTerminal(to) {
		s = text.Style{Color: os.Getenv("NO_COLOR") == "", Context: 0}
	}
	if opts.context != nil {
		s.Context = *opts.context
	}
	return s
}
