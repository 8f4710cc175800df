package interleave

import (
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A world is one start state, as far as it has been asked for, together with all other choices of
// one leaf of the search. All runs of the leaf share it.
type world struct {
	known *Knowledge

	// picks is the path of the search tree, sizes the number of branches at each node, and pos
	// the depth that the present leaf has come to.
	picks, sizes []int
	pos          int

	chosen map[string]int
	ranges map[string]*interval
	equals map[string]value   // what a symbol was chosen to be equal to
	apart  map[[2]string]bool // pairs of values that were chosen to be different

	cells    map[string]value    // cells of the start state
	infos    map[string]info     // objects of the start state, and new ones with unknown content
	names    []string            // of them, in order of first use
	indexes  map[string][]number // of the elements of arrays and slices
	entries  map[string][]*entry // elements of the maps of the start state, present or absent
	complete map[string]bool     // maps with no further elements
	// given are the objects that the parameters of the units point to.
	given []string
	// args and free are the arguments and the free variables of the units.
	args, free [2][]value
}

// An entry is an element of a map.
type entry struct {
	key, val value
	present  bool
}

// reset begins the next leaf: all but the path is forgotten.
func (w *world) reset() {
	w.pos = 0
	w.chosen = make(map[string]int)
	w.ranges = make(map[string]*interval)
	w.equals = make(map[string]value)
	w.apart = make(map[[2]string]bool)
	w.cells = make(map[string]value)
	w.infos = make(map[string]info)
	w.names = nil
	w.args = [2][]value{}
	w.free = [2][]value{}
	w.indexes = make(map[string][]number)
	w.complete = make(map[string]bool)
	w.entries = make(map[string][]*entry)
	w.given = nil
}

// advance moves to the next leaf, and reports whether there is one.
func (w *world) advance() bool {
	w.picks, w.sizes = w.picks[:w.pos], w.sizes[:w.pos]
	for i := len(w.picks) - 1; i >= 0; i-- {
		if w.picks[i]+1 < w.sizes[i] {
			w.picks[i]++
			w.picks, w.sizes = w.picks[:i+1], w.sizes[:i+1]
			return true
		}
	}
	return false
}

// pick is a node of the search with n branches.
func (w *world) pick(n int) int {
	if w.pos == len(w.picks) {
		w.picks, w.sizes = append(w.picks, 0), append(w.sizes, n)
	}
	w.pos++
	return w.picks[w.pos-1]
}

// choose returns one of n answers to a question, always the same in this world.
func (w *world) choose(question string, n int) int {
	if a, ok := w.chosen[question]; ok {
		return a
	}
	a := w.pick(n)
	w.chosen[question] = a
	return a
}

// An interval bounds the value of a linear form.
type interval struct {
	form   number
	lo, hi int64
	not    []int64
}

const infinite = 1 << 40

const eql = token.EQL

func (w *world) interval(form number) *interval {
	key := form.text()
	if in := w.ranges[key]; in != nil {
		return in
	}
	in := &interval{form: form, lo: -infinite, hi: infinite}
	w.ranges[key] = in
	if len(form.terms) > 1 {
		in.lo, in.hi = w.sum(form)
	}
	return in
}

// sum bounds a form by what is known of its symbols.
func (w *world) sum(form number) (lo, hi int64) {
	for _, t := range form.terms {
		s := w.interval(variable(t.sym))
		a, b := t.coef*s.lo, t.coef*s.hi
		lo, hi = lo+min(a, b), hi+max(a, b)
	}
	return max(lo, -infinite), min(hi, infinite)
}

// atLeast says that a symbol is not less than lo.
func (w *world) atLeast(sym string, lo int64) {
	in := w.interval(variable(sym))
	in.lo = max(in.lo, lo)
	in.settle()
}

// settle tightens the bounds, and ends a run that no values are left for.
func (in *interval) settle() {
	for slices.Contains(in.not, in.lo) {
		in.lo++
	}
	for slices.Contains(in.not, in.hi) {
		in.hi--
	}
	if in.lo > in.hi {
		panic(abort{infeasible, "no number is left"})
	}
}

// normal replaces symbols whose value is settled.
func (w *world) normal(n number) number {
	out := number{c: n.c}
	for _, t := range n.terms {
		if in := w.ranges[t.sym]; in != nil && in.lo == in.hi {
			out.c += t.coef * in.lo
			continue
		}
		out.terms = append(out.terms, t)
	}
	return out
}

// compare decides a relation of two numbers, by choice if it is open, true first.
func (w *world) compare(op token.Token, a, b number) bool {
	d := w.normal(a.plus(b, -1))
	if d.isConst() {
		return relates(op, d.c)
	}
	form, sign := d.form()
	at := -d.c * sign // d op 0 is form op' at
	if sign < 0 {
		op = ssautil.Mirrored[op]
	}
	in := w.interval(form)
	yes, no := in.split(op, at)
	var part *interval
	switch {
	case yes == nil:
		return false
	case no == nil:
		return true
	case w.pick(2) == 0:
		part = yes
	default:
		part = no
	}
	*in = *part
	in.settle()
	return part == yes
}

// mayBe reports whether two numbers can be equal.
func (w *world) mayBe(a, b number) bool {
	may, _ := w.equality(a, b)
	return may
}

// mustBe reports whether two numbers are equal.
func (w *world) mustBe(a, b number) bool {
	_, must := w.equality(a, b)
	return must
}

// equality reports whether two numbers can be equal, and whether they are.
func (w *world) equality(a, b number) (may, must bool) {
	d := w.normal(a.plus(b, -1))
	if d.isConst() {
		return d.c == 0, d.c == 0
	}
	form, sign := d.form()
	yes, no := w.interval(form).split(token.EQL, -d.c*sign)
	return yes != nil, no == nil
}

func relates(op token.Token, c int64) bool {
	switch op {
	case token.LSS:
		return c < 0
	case token.LEQ:
		return c <= 0
	case token.GTR:
		return c > 0
	case token.GEQ:
		return c >= 0
	case token.EQL:
		return c == 0
	}
	return c != 0
}

// split returns the parts of the interval where the relation with a number holds, and where it
// does not, nil for an empty part.
func (in *interval) split(op token.Token, at int64) (yes, no *interval) {
	part := func(lo, hi int64, not ...int64) *interval {
		p := &interval{in.form, max(lo, in.lo), min(hi, in.hi), append(slices.Clip(in.not), not...)}
		for slices.Contains(p.not, p.lo) {
			p.lo++
		}
		for slices.Contains(p.not, p.hi) {
			p.hi--
		}
		if p.lo > p.hi {
			return nil
		}
		return p
	}
	switch op {
	case token.LSS:
		return part(-infinite, at-1), part(at, infinite)
	case token.LEQ:
		return part(-infinite, at), part(at+1, infinite)
	case token.GTR:
		return part(at+1, infinite), part(-infinite, at)
	case token.GEQ:
		return part(at, infinite), part(-infinite, at-1)
	case token.EQL:
		return part(at, at), part(-infinite, infinite, at)
	}
	return part(-infinite, infinite, at), part(at, at)
}

// root returns what a symbol stands for.
func (w *world) root(v value) value {
	for range limit.Aliased {
		s, ok := v.(symbol)
		if !ok {
			return v
		}
		to, ok := w.equals[s.name]
		if !ok {
			return v
		}
		v = to
	}
	return v
}

// equal decides whether two values are equal, by choice if it is open.
func (w *world) equal(a, b value) bool {
	a, b = w.root(unboxed(a)), w.root(unboxed(b))
	x, isNumber := a.(number)
	y, bothNumbers := b.(number)
	if isNumber && bothNumbers {
		return w.compare(token.EQL, x, y)
	}
	if s, ok := a.(structure); ok {
		t, ok := b.(structure)
		return ok && len(s.fields) == len(t.fields) && w.allEqual(s.fields, t.fields)
	}
	ta, tb := a.text(), b.text()
	if ta == tb {
		return true
	}
	if !isOpen(a) && !isOpen(b) || isNull(a) || isNull(b) || isNew(a) || isNew(b) {
		return false
	}
	key := [2]string{min(ta, tb), max(ta, tb)}
	if w.apart[key] {
		return false
	}
	if w.pick(2) == 1 {
		w.apart[key] = true
		return false
	}
	w.join(a, b)
	return true
}

func (w *world) allEqual(a, b []value) bool {
	for i := range a {
		if a[i] != nil && b[i] != nil && !w.equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// join makes two values equal. The one of the start state that was named first remains.
func (w *world) join(a, b value) {
	if s, ok := b.(symbol); ok {
		w.equals[s.name] = a
	} else if s, ok := a.(symbol); ok {
		w.equals[s.name] = b
	}
	for pair := range w.apart {
		if w.root(symbol{name: pair[0]}).text() == w.root(symbol{name: pair[1]}).text() {
			panic(abort{infeasible, "values are equal and different"})
		}
	}
}

// isOpen reports whether a value may turn out to be another one.
func isOpen(v value) bool {
	_, ok := v.(symbol)
	return ok
}

func isNew(v value) bool {
	s, ok := v.(symbol)
	return ok && s.made != ""
}

func unboxed(v value) value {
	if b, ok := v.(boxed); ok {
		return b.val
	}
	return v
}
