package atomvetrt

import (
	"maps"
	"slices"
	"sync"
	"unsafe"
)

// A section is a passage of a goroutine through a critical section.
type section struct {
	lock  unsafe.Pointer
	class int // object of the lock
	uses  map[int]use
	begin uint64 // number of the section, in the order in which they begin
	ended bool
	site  int
	// lost are writes that may have lost an update, unless the section reads the variable: in
	// an assignment the address on the left is evaluated before what is on the right.
	lost []lostUpdate
}

// A lostUpdate is a write by a stale value.
type lostUpdate struct {
	at    unsafe.Pointer
	stale staleUse
	last  version // the write that is lost
	site  int
	stack []uintptr
}

// A use is the set of ways in which a section uses a variable.
type use uint8

const (
	reads use = 1 << iota
	writes
)

// observed is what a goroutine is observed by.
type observed struct {
	sections []*section
	// recent are the last reads, for the assignments of what they have read.
	recent []read
	// stale has the last uses of stale values, by object: a write in the same section or the
	// next is by them.
	stale   map[int]staleUse
	entered int // sections
	// assigned is the last write: the address on the left of an assignment is evaluated before
	// the uses on the right.
	assigned assignment
}

// An assignment is a write, with the write before it.
type assignment struct {
	at   unsafe.Pointer
	site int
	last version
}

// A read is a read in a critical section.
type read struct {
	in      *section
	object  int
	at      unsafe.Pointer
	site    int
	through int    // the site of the variable that it was taken from last
	serial  uint64 // of the event
	version uint64 // of the variable
	// returned is set if a function returns what was read.
	returned bool
}

type staleUse struct {
	read    read
	site    int
	entered int // of the goroutine
}

// Bounds of what is kept.
const (
	maxRecent  = 64
	maxLocks   = 8192
	maxViews   = 64 // of one goroutine and one lock
	maxUsers   = 64 // goroutines of one lock
	maxReports = 1000
	maxVars    = 1 << 16
	maxStacks  = 1 << 14 // of views
)

var (
	serial   uint64
	sections int
	// viewStacks counts the stacks that are kept with views.
	viewStacks int
	locks      = make(map[unsafe.Pointer]*lockViews)
	// versions has the last write of each variable.
	versions = make(map[unsafe.Pointer]version)
	values   = make(map[valueKey]*ValueReport)
	// owners has the variable in which each map was seen, for accesses through local variables.
	owners = make(map[unsafe.Pointer]mapOwner)
)

// A mapOwner is a variable that has a map.
type mapOwner struct {
	object int
	p      unsafe.Pointer
}

type version struct {
	serial uint64
	g      uint64
	site   int
	stack  []uintptr
}

// lockViews are the views of one lock, by goroutine.
type lockViews struct {
	class int
	by    map[uint64][]view
}

// A view is what one section uses.
type view struct {
	uses  map[int]use
	site  int       // where the section begins
	stack []uintptr // at its end
}

// observe notes an access.
func (g *goroutine) observe(l location, site int, write, readToo bool) {
	s := &cfg.Sites[site]
	mu.Lock()
	defer mu.Unlock()
	object := s.Object
	switch {
	case s.Alias:
		owner, ok := owners[l.base]
		if !ok {
			return
		}
		object, l.p = owner.object, owner.p
	case l.base != nil && len(owners) < maxVars:
		owners[l.base] = mapOwner{object, l.p}
	}
	events++
	serial++
	var bits use
	if readToo {
		bits |= reads
	}
	if write {
		bits |= writes
	}
	for _, x := range g.sections {
		x.uses[object] |= bits
	}
	if write {
		g.wrote(l, object, site)
	}
	if !readToo {
		return
	}
	delete(g.stale, object)
	for _, x := range g.sections {
		x.lost = slices.DeleteFunc(x.lost, func(u lostUpdate) bool { return u.at == l.p })
	}
	if len(g.sections) > 0 {
		r := read{in: g.sections[len(g.sections)-1], object: object, at: l.p, site: site, through: site, serial: serial, version: versions[l.p].serial}
		g.remember(r)
	}
}

// wrote notes a write. It is a lost update if a stale value of the variable was used since it was
// read last, and another goroutine has written it meanwhile.
func (g *goroutine) wrote(l location, object, site int) {
	last, known := versions[l.p]
	g.assigned = assignment{l.p, site, last}
	if u, ok := g.stale[object]; ok && g.entered-u.entered <= 1 {
		g.suspect(u)
	}
	delete(g.stale, object)
	if known || len(versions) < maxVars {
		v := version{serial: serial, g: g.id, site: site}
		if len(g.sections) > 0 && last.g != g.id {
			v.stack = stack()
		}
		versions[l.p] = v
	}
}

// suspect notes that the last write is by a stale value, if another goroutine has written the
// variable since that was read.
func (g *goroutine) suspect(u staleUse) {
	w, n := g.assigned, len(g.sections)
	if n == 0 || w.at != u.read.at || w.last.g == 0 || w.last.g == g.id || w.last.serial <= u.read.version {
		return
	}
	s := g.sections[n-1]
	s.lost = append(s.lost, lostUpdate{w.at, u, w.last, w.site, stack()})
}

// unlock is the operation of L that ends a section; the other is 1.
const unlock = 2

// L wraps Lock and RLock (op 1), Unlock and RUnlock (op 2) of the lock at m.
func L[M any](m *M, op, class, site int, f func()) func() {
	if !on || !cfg.Observe {
		return f
	}
	return func() {
		if op == unlock {
			//lint:ignore stalevalue a record that forget drops holds nothing, and its goroutine makes another
			current().leave(unsafe.Pointer(m))
			f()
			return
		}
		f()
		current().enter(unsafe.Pointer(m), class, site)
	}
}

// LT wraps TryLock and TryRLock.
func LT[M any](m *M, class, site int, f func() bool) func() bool {
	if !on || !cfg.Observe {
		return f
	}
	return func() bool {
		ok := f()
		if ok {
			//lint:ignore stalevalue a record that forget drops holds nothing, and its goroutine makes another
			current().enter(unsafe.Pointer(m), class, site)
		}
		return ok
	}
}

// LW wraps Wait of a condition variable, which ends one section and begins another.
func LW(c *sync.Cond, site int, f func()) func() {
	if !on || !cfg.Observe {
		return f
	}
	return func() {
		m := (*[2]unsafe.Pointer)(unsafe.Pointer(&c.L))[1]
		g := current()
		//lint:ignore stalevalue a record that forget drops holds nothing, and its goroutine makes another
		class := g.leave(m)
		f()
		g.enter(m, class, site)
	}
}

func (g *goroutine) enter(m unsafe.Pointer, class, site int) {
	mu.Lock()
	defer mu.Unlock()
	sections++
	g.entered++
	g.sections = append(g.sections, &section{lock: m, class: class, uses: make(map[int]use), begin: uint64(sections), site: site})
}

// leave ends the innermost section of a lock and returns the class of the lock.
func (g *goroutine) leave(m unsafe.Pointer) (class int) {
	mu.Lock()
	defer mu.Unlock()
	for i := len(g.sections) - 1; i >= 0; i-- {
		if s := g.sections[i]; s.lock == m {
			s.ended = true
			g.reportLost(s)
			g.sections = slices.Delete(g.sections, i, i+1)
			g.keep(s)
			flush(false)
			return s.class
		}
	}
	return 0
}

// reportLost reports the updates that a section that ends has lost.
func (g *goroutine) reportLost(s *section) {
	for _, u := range s.lost {
		g.report(valueKey{"lost-update", u.stale.read.object, u.stale.read.site, u.site}, func(v *ValueReport) {
			v.Stack = frames(u.stack)
			v.Rival, v.RivalStack = cfg.Sites[u.last.site].Pos, frames(u.last.stack)
		})
	}
}

// keep keeps the view of a section that ends.
func (g *goroutine) keep(s *section) {
	if len(s.uses) == 0 {
		return
	}
	l := locks[s.lock]
	if l == nil {
		if len(locks) == maxLocks {
			return
		}
		l = &lockViews{class: s.class, by: make(map[uint64][]view)}
		locks[s.lock] = l
	}
	list, known := l.by[g.id]
	if !known && len(l.by) == maxUsers || len(list) == maxViews ||
		slices.ContainsFunc(list, func(v view) bool { return maps.Equal(v.uses, s.uses) }) {
		return
	}
	v := view{uses: s.uses, site: s.site}
	if viewStacks < maxStacks {
		viewStacks++
		v.stack = stack()
	}
	l.by[g.id] = append(list, v)
}

// A Shadow goes with a local variable that has what was read in critical sections.
type Shadow struct{ reads []read }

// Mark returns the number of the last event.
func Mark() uint64 {
	if !on || !cfg.Observe {
		return 0
	}
	mu.Lock()
	defer mu.Unlock()
	return serial
}

// Set notes that the variable has what was read by this goroutine since a mark: at the sites from
// lo to hi or, from another variable, at those from ulo to uhi, or by functions that returned it.
func (s *Shadow) Set(mark uint64, lo, hi, ulo, uhi int) bool {
	if !on || !cfg.Observe {
		return true
	}
	g := current()
	mu.Lock()
	defer mu.Unlock()
	s.reads = nil
	for _, r := range g.recent {
		if r.serial > mark && (r.returned || r.isIn(lo, hi, ulo, uhi)) {
			s.reads = append(s.reads, r)
		}
	}
	return true
}

func (r *read) isIn(lo, hi, ulo, uhi int) bool {
	return lo <= r.through && r.through < hi || ulo <= r.through && r.through < uhi
}

// Ret stands for a result of a function.
func Ret[T any](mark uint64, lo, hi, ulo, uhi int, v T) T {
	if !on || !cfg.Observe {
		return v
	}
	g := current()
	mu.Lock()
	defer mu.Unlock()
	for i := range g.recent {
		if r := &g.recent[i]; r.serial > mark && r.isIn(lo, hi, ulo, uhi) {
			r.returned = true
		}
	}
	return v
}

// U stands for a local variable that is used at a site: it is stale if the section has ended in
// which its value was read.
func U[T any](v T, s *Shadow, site int) T {
	if !on || len(s.reads) == 0 {
		return v
	}
	g := current()
	mu.Lock()
	defer mu.Unlock()
	for _, r := range s.reads {
		serial++
		flow := r
		flow.serial, flow.through, flow.returned = serial, site, false
		//lint:ignore stalevalue a record that forget drops holds nothing, and its goroutine makes another
		g.remember(flow)
		if !r.in.ended {
			continue
		}
		g.report(valueKey{"stale-value", r.object, r.site, site}, nil)
		if g.stale == nil {
			g.stale = make(map[int]staleUse)
		}
		u := staleUse{r, site, g.entered}
		g.stale[r.object] = u
		if cfg.Sites[g.assigned.site].line() == cfg.Sites[site].line() {
			g.suspect(u)
		}
	}
	return v
}

// remember keeps a read, and forgets the oldest if there are too many.
func (g *goroutine) remember(r read) {
	if len(g.recent) == maxRecent {
		g.recent = slices.Delete(g.recent, 0, maxRecent/2)
	}
	g.recent = append(g.recent, r)
}

type valueKey struct {
	kind             string
	object, from, at int
}

// A ValueReport is about a value that was read in one section and used after it.
type ValueReport struct {
	Kind       string // stale-value or lost-update
	Object     int
	Read, Use  string // positions
	Times      int
	Stack      []string
	Rival      string   `json:",omitempty"`
	RivalStack []string `json:",omitempty"`
}

func (g *goroutine) report(k valueKey, more func(*ValueReport)) {
	v := values[k]
	if v == nil {
		if len(values) == maxReports {
			return
		}
		v = &ValueReport{Kind: k.kind, Object: k.object, Read: cfg.Sites[k.from].Pos, Use: cfg.Sites[k.at].Pos, Stack: frames(stack())}
		if more != nil {
			more(v)
		}
		values[k] = v
	}
	v.Times++
}
