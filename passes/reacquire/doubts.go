package reacquire

// The rules of this file speak against a second section that relies on the first: not
// that it does, but that it does harm.

// deep: the accesses are made many calls away, and much may be decided on the way there.
// If the context keeps consistent what comes of them, less so.
//
//	s.n = c.outer.inner.Len()
func (c *candidate) deep() bool {
	deepest := max(c.read.Calls(), c.access.Calls())
	return deepest > 2 || deepest > 1 && !c.updates()
}

// unprotected: the outer lock protects nothing that comes of the two, and is held by the
// caller, or around a loop: it may be there for other things.
//
//	for range n { // under s.mu
//		sum += c.Get()
//	}
func (c *candidate) unprotected() bool {
	return (c.pair.first == c.pair.second || c.context.entry()) && !c.updates()
}

// serializes: the outer lock guards no variable. It keeps two runs of an operation apart, and says
// nothing of the variables that the operation looks at twice: whether these may change in between
// is a question about the inner lock alone.
//
//	l.sending.Lock() // no variable is guarded by it
//	defer l.sending.Unlock()
//	list := l.copyPending()
//	send(list)
//	l.remove(list)
func (c *candidate) serializes() bool {
	lock := c.context.Class
	return lock != "" && lock.Pkg() == c.d.pass.Pkg.Path() && !c.d.pkg.Guards().IsGuard(lock)
}

// undecided: the second section writes neither what comes of the first, nor because of it.
//
//	old := c.Get()
//	c.Set(0)
//	return old
func (c *candidate) undecided() bool { return !c.valueWritten() && !c.writeDecided() }

// onlyDecides: no value goes from the first section to what the second does, it only decides that
// the second section is entered, which accesses another variable. A caller that holds the outer lock
// over both sections decides once, and mostly the outer lock keeps the decision current. If the second
// section accesses the variable that was read, it acts on a stale value.
//
//	if c.Level() > 0 { // under s.mu
//		c.Close() // not c.Drain()
//	}
func (c *candidate) onlyDecides() bool {
	switch c.reliance() {
	case writeDecided, readDecided:
		return c.access.Loc != c.read.Loc
	case decidedTogether:
		return true
	}
	return false
}
