package stalevalue

import "github.com/atomvet/atomvet/passes/summary"

// takesOnlyWhatWasRead: the act changes what is there by some amount, or takes from it what was read, and not what has come in its place.
func (c *candidate) takesOnlyWhatWasRead() bool { return c.isRelative() && !c.removesReplaced() }

// removesReplaced reports whether elements that were read and used are removed by their keys, whatever is there by then, while a rival puts
// others in their place: those are removed, and were not used.
//
//	for _, r := range b.pending() { // copies b.dirty
//		b.sink.Write(r.key, r.value)
//		b.mu.Lock(); delete(b.dirty, r.key); b.mu.Unlock()
//	}
func (c *candidate) removesReplaced() bool {
	return c.act.Op&summary.Delete != 0 && c.act.Key != "" && c.pair.isUsed() && !c.looksBefore() && c.anyRival(func(r rival) bool {
		f, put := c.d.pkg.WriteOf(r.writer)
		return put != nil && inserts(put) && put.Const == "" && len(put.Added) == 0 && !asksWhatIsThere(f, put) && r.runs()
	})
}
