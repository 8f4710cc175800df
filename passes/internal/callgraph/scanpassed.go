package callgraph

// A function may change a variable or a container of its caller, by a parameter that refers to it:
//
//	func (l *list) push(x item) { *l = append(*l, x) }
//
//	s.items.push(x) // writes s.items

// markPassed records the writes of what is passed to functions that change it, by a least fixpoint: what is passed may
// be a parameter itself.
func (p *scanner) markPassed() {
	for before := -1; len(p.changed) != before; {
		before = len(p.changed)
		for _, c := range p.passings {
			for i, prm := range c.callee.Fn.Params {
				if i < len(c.args) && p.changed[prm] && isPassable(c.args[i].Type()) {
					p.markWritten(c.args[i])
				}
			}
		}
	}
}
