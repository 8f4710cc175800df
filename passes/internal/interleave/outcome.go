package interleave

import (
	"fmt"
	"slices"
)

// A comparison finds the differences of the outcomes of two runs of one world.
type comparison struct {
	a, b *run
	// pairs maps the new objects of a to those of b, and back.
	pairs, back map[string]string
	worst       Kind
	what        string   // the first of the worst differences
	got, want   string   // its values in a and in b
	open        []number // numbers one of which has to be different from 0 for the runs to differ
	firm        bool     // there is a difference of the worst kind that does not depend on numbers
	identities  bool     // different objects were found where the same was expected
}

// compare compares two outcomes.
func compare(a, b *run) *comparison {
	c := &comparison{a: a, b: b, pairs: make(map[string]string), back: make(map[string]string), worst: none}
	c.states()
	for i, t := range a.threads {
		c.check(Result, fmt.Sprintf("the result of T%d", i+1), t.result, b.threads[i].result)
	}
	c.effects()
	if c.worst == none && c.identities {
		c.worst, c.what = identity, "the object"
	}
	return c
}

// check compares two values of the outcome.
func (c *comparison) check(kind Kind, what string, x, y value) {
	n := len(c.open)
	same := c.same(x, y, 6)
	added := len(c.open) > n
	if same && !added || kind > c.worst {
		c.open = c.open[:n]
		return
	}
	if kind < c.worst {
		c.open = slices.Clone(c.open[n:])
		c.worst, c.firm, c.what, c.got, c.want = kind, false, what, c.a.show(x), c.b.show(y)
	}
	c.firm = c.firm || !same
}

func (r *run) show(v value) string {
	if v == nil {
		return "absent"
	}
	if t := r.threads[0]; t != nil {
		return t.textOf(v, 1)
	}
	return v.text()
}

// states compares the cells of the start state that a run has written.
func (c *comparison) states() {
	for _, id := range union(c.a.order, c.b.order) {
		x, y := c.a.object(id), c.b.object(id)
		if !x.isShared() || !y.isShared() {
			continue
		}
		for _, path := range union(x.paths, y.paths) {
			p, q := x.cells[path], y.cells[path]
			if p != nil && p.written || q != nil && q.written {
				c.check(State, id+path, c.a.final(x, path, p, q), c.b.final(y, path, q, p))
			}
		}
		c.elements(id, x, y)
	}
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			out = append(out, s)
		}
	}
	return out
}

// final returns the value of a cell at the end. Where the run has not used it, it has the value of
// the start state.
func (r *run) final(o *object, path string, own, other *cell) value {
	if own != nil {
		return own.val
	}
	return r.w.start(o.base+path, other.typ, other.field)
}

// elements compares the elements of two maps.
func (c *comparison) elements(id string, x, y *object) {
	for _, e := range x.entries {
		if f := c.b.find(y, e.key); e.written || f.written {
			c.check(State, id+elementPath(e.key), present(e), present(f))
		}
	}
	for _, f := range y.entries {
		if e := c.a.find(x, f.key); f.written && !e.written {
			c.check(State, id+elementPath(f.key), present(e), present(f))
		}
	}
}

func present(e *element) value {
	if !e.present {
		return nil
	}
	return e.val
}

// effects compares what is done outside, in whatever order.
func (c *comparison) effects() {
	rest := slices.Clone(c.b.effects)
	for _, e := range c.a.effects {
		i := slices.IndexFunc(rest, func(f effect) bool { return e.what == f.what && c.agrees(e.args, f.args) })
		if i < 0 {
			c.differ(Effect, "the call of "+e.what, "made", "not made")
			continue
		}
		rest = slices.Delete(rest, i, i+1)
	}
	for _, f := range rest {
		c.differ(Effect, "the call of "+f.what, "not made", "made")
	}
}

// agrees reports whether two lists of values are the same, without a condition.
func (c *comparison) agrees(x, y []value) bool {
	n := len(c.open)
	ok := c.all(x, y, 3) && len(c.open) == n
	c.open = c.open[:n]
	return ok
}

func (c *comparison) differ(kind Kind, what, got, want string) {
	if kind < c.worst {
		c.worst, c.what, c.got, c.want, c.open = kind, what, got, want, nil
	}
	c.firm = c.firm || kind == c.worst
}

func (c *comparison) all(x, y []value, depth int) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !c.same(x[i], y[i], depth) {
			return false
		}
	}
	return true
}

// same reports whether two values are the same. That numbers are the same may depend on their
// values: then they are added to c.open, and it is assumed.
func (c *comparison) same(x, y value, depth int) bool {
	w := c.a.w
	if x == nil || y == nil {
		return x == nil && y == nil
	}
	x, y = w.root(unboxed(x)), w.root(unboxed(y))
	switch x := x.(type) {
	case number:
		y, ok := y.(number)
		return ok && c.sameNumber(x, y)
	case pointer:
		y, ok := y.(pointer)
		return ok && x.path == y.path && c.sameObject(x.obj, y.obj, depth)
	case slice:
		y, ok := y.(slice)
		return ok && c.sameSlice(x, y, depth)
	case structure:
		y, ok := y.(structure)
		return ok && c.all(x.fields, y.fields, depth)
	case tuple:
		y, ok := y.(tuple)
		return ok && c.all(x, y, depth)
	case closure:
		y, ok := y.(closure)
		return ok && x.fn == y.fn && c.all(x.free, y.free, depth)
	case symbol:
		y, ok := y.(symbol)
		if ok && x.made != "" && y.made == x.made {
			c.pair(x.name, y.name, false)
			return true
		}
		return ok && x.name == y.name
	}
	return x.text() == y.text()
}

func (c *comparison) sameNumber(x, y number) bool {
	w := c.a.w
	if w.mustBe(x, y) {
		return true
	}
	if w.mayBe(x, y) {
		c.open = append(c.open, w.normal(x.plus(y, -1)))
		return true
	}
	return false
}

// pair notes that two new objects stand for each other. It returns false if one of them stands for
// another one.
func (c *comparison) pair(x, y string, matters bool) bool {
	p, ok := c.pairs[x]
	q, ok2 := c.back[y]
	if !ok && !ok2 {
		c.pairs[x], c.back[y] = y, x
		return true
	}
	if p == y && q == x {
		return true
	}
	if !matters {
		c.identities = true
		return true
	}
	return false
}

func (c *comparison) sameObject(x, y string, depth int) bool {
	a, b := c.a.object(x), c.b.object(y)
	if a.isShared() || b.isShared() {
		return x == y
	}
	if a.made != b.made {
		return false
	}
	known := c.pairs[x] == y
	switch has, certain := c.a.e.known.hasState(a.typ); {
	case !certain:
		c.pair(x, y, false)
	case has && !c.pair(x, y, true):
		return false
	}
	if known || depth == 0 {
		return true
	}
	if a.base != b.base {
		return false
	}
	for _, path := range union(a.paths, b.paths) {
		if !c.same(c.content(c.a, a, path, b), c.content(c.b, b, path, a), depth-1) {
			return false
		}
	}
	return c.sameElements(a, b, depth)
}

// content returns the value of a cell of a new object.
func (c *comparison) content(r *run, o *object, path string, other *object) value {
	if own := o.cells[path]; own != nil {
		return own.val
	}
	model := other.cells[path]
	if o.base == "" {
		return r.w.zero(model.typ)
	}
	return r.w.start(o.base+path, model.typ, model.field)
}

func (c *comparison) sameElements(a, b *object, depth int) bool {
	for _, e := range a.entries {
		if !c.same(present(e), present(c.b.find(b, e.key)), depth-1) {
			return false
		}
	}
	for _, f := range b.entries {
		if e := c.a.find(a, f.key); e.present != f.present {
			return false
		}
	}
	return true
}

// sameSlice compares slices by their content.
func (c *comparison) sameSlice(x, y slice, depth int) bool {
	if !c.sameNumber(x.n, y.n) || !c.sameNumber(x.off, y.off) {
		return false
	}
	a, b := c.a.object(x.obj), c.b.object(y.obj)
	if a.base != b.base || depth == 0 {
		return a.base == b.base
	}
	for _, path := range union(a.paths, b.paths) {
		if p, q := a.cells[path], b.cells[path]; p != nil && p.written || q != nil && q.written {
			if !c.same(c.content(c.a, a, path, b), c.content(c.b, b, path, a), depth-1) {
				return false
			}
		}
	}
	return true
}
