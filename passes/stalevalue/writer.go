package stalevalue

import (
	"slices"

	"github.com/atomvet/atomvet/passes/summary"
)

// writerMakes reports whether the function of a writer, in this package, makes an access as asked.
func (d *detector) writerMakes(w *summary.Writer, is func(*summary.Event) bool) bool {
	return w.Fn >= 0 && slices.ContainsFunc(d.pkg.Funcs[w.Fn].Events, is)
}
