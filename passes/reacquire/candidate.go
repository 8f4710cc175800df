package reacquire

import (
	"fmt"
	"go/token"
	"iter"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A candidate is a read in the first critical section of a pair, and an access in the
// second to the same variable, or to one that is kept consistent with it. In a loop
// both may be the same access in two rounds. Its fields are never changed.
type candidate struct {
	d *detector
	pair
	i, j         int // indexes of the accesses
	read, access *summary.Event
	section      []int // all accesses in the second section
}

// candidates returns those of a pair.
func (d *detector) candidates(r pair) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		section := d.accesses(r.second)
		for _, i := range d.accesses(r.first) {
			read := d.f.Events[i]
			info := d.pkg.Location(read.Loc)
			if !read.Reads() || read.Writes() || info.Constant() {
				continue
			}
			for _, j := range section {
				e := d.f.Events[j]
				joint := e.Loc == read.Loc || info.IsJoint(e.Loc) && !d.pkg.Location(e.Loc).Constant()
				if joint && accesspath.Same(read.Base, e.Base) && !yield(&candidate{d, r, i, j, read, e, section}) {
					return
				}
			}
		}
	}
}

// accesses returns those in the section that begins at a taking.
func (d *detector) accesses(i int) []int {
	out, ok := d.inSection[i]
	if !ok {
		out = d.accessesIn(d.takings[i])
		d.inSection[i] = out
	}
	return out
}

func (d *detector) accessesIn(t summary.Taking) []int {
	var out []int
	for j, e := range d.f.Events {
		for _, h := range e.Holds {
			if h.Path == t.Path && (t.Inner && e.Ord == t.Ord || !t.Inner && !h.Inner && slices.Contains(h.Sites, t.Ord)) {
				out = append(out, j)
				break
			}
		}
	}
	return out
}

// isWrite, isLoop and areReads distinguish candidates by the second access: a write; the read itself
// in a later round of a loop; another read. areTwo is all but the second.
func (c *candidate) isWrite() bool  { return c.access.Writes() }
func (c *candidate) isLoop() bool   { return c.i == c.j }
func (c *candidate) areReads() bool { return c.i != c.j && !c.access.Writes() }
func (c *candidate) areTwo() bool   { return c.i != c.j }

// info returns what is known of the location that is read.
func (c *candidate) info() *summary.LocInfo { return c.d.pkg.Location(c.read.Loc) }

// reliance returns why the second section relies on what the first has read, "" if it
// does not.
func (c *candidate) reliance() string {
	if r := c.d.reliances.Reporting(c.d.judge, c); r != nil {
		return r.ID
	}
	return ""
}

// category returns that of the finding.
func (c *candidate) category() string {
	if c.rival() == nil {
		return encapsulated
	}
	return reacquired
}

// String describes the candidate for -why.
func (c *candidate) String() string {
	verb := "read"
	if c.access.Writes() {
		verb = "written"
	}
	relies := c.reliance()
	if relies == "" {
		relies = "nothing"
	}
	return fmt.Sprintf("reacquire: %s is read at line %d and %s %s at line %d, in two sections of %s, in one of %s; what ties them: %s",
		c.d.f.NameOf(c.read), c.d.lineOf(c.read.Pos.Pos), c.d.f.NameOf(c.access), verb, c.d.lineOf(c.access.Pos.Pos),
		c.d.lockName(c.d.takings[c.second].Acquisition), c.d.contextName(c.context), relies)
}

// Positions returns those of the sections, of the accesses and of the function.
func (c *candidate) Positions() []token.Pos {
	return []token.Pos{
		c.d.takings[c.second].Instr.Pos(), c.access.Pos.Pos, c.read.Pos.Pos, c.d.takings[c.first].Instr.Pos(), c.d.f.Fn.Pos(),
	}
}
