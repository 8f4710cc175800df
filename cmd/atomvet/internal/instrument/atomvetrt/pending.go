package atomvetrt

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"
)

// A pending is a check whose act has not come yet.
type pending struct {
	finding int
	g       *goroutine
	at      location
	stack   []uintptr
	since   time.Time
	// before is the memory of an object of another package's type at the check.
	before []byte
	// hit is the first access of another goroutine that interferes, and perhaps the first
	// call of a method that may have. others are accesses to the object of the act.
	hit, perhaps *intrusion
	others       []intrusion
	again        bool // read by this goroutine after the intrusion
	paused       bool
	tried        bool // came to the place of a pause
}

// An intrusion is an access by another goroutine between a check and its act.
type intrusion struct {
	l     location
	g     uint64
	site  int
	stack []uintptr
}

// pendings are all of them, and spent is the time of all pauses.
var (
	pendings = make(map[*pending]bool)
	spent    time.Duration
	// pausing counts the goroutines that are in a pause, and hurry those of them that are to end it.
	pausing, hurry int
	// inTrial is set while the rival is a function that Try runs: then it runs to its end.
	inTrial bool
)

// Bounds.
const (
	maxOthers = 32  // accesses that are kept of one pending check
	maxStack  = 40  // frames
	maxBytes  = 512 // of memory that is compared
	// settle is the time that another goroutine gets to leave its critical section.
	settle = 200 * time.Microsecond
	poll   = 100 * time.Microsecond
)

// event handles an access.
func event(g *goroutine, l location, site int, write bool) {
	if cfg.Observe {
		g.observe(l, site, write || l.content, !write)
		return
	}
	s := &cfg.Sites[site]
	mu.Lock()
	events++
	intrude(g, l, site, write)
	for _, i := range s.Check {
		if g.units[i] > 0 && !(slices.Contains(s.Act, i) && g.role[i] && g.find(i) != nil) {
			g.check(i, l)
		}
	}
	noteAccess(g, s, l, write)
	mu.Unlock()
	for _, i := range s.Act {
		//lint:ignore stalevalue the maps are of this goroutine, and only it writes them
		if g.units[i] > 0 && (!slices.Contains(s.Check, i) || g.role[i]) {
			g.act(i, l)
		}
	}
}

// intrude notes for the pending checks what the access means to them.
func intrude(g *goroutine, l location, site int, write bool) {
	s := &cfg.Sites[site]
	for p := range pendings {
		f := &cfg.Findings[p.finding]
		if p.g == g {
			// A second look at the object, other than as a part of the act.
			if p.hit != nil && !write && !s.Alias && !slices.Contains(s.Same, p.finding) && !slices.Contains(s.Act, p.finding) && p.at.overlaps(&l) {
				p.again = true
			}
			continue
		}
		if !l.content && write == f.ByRead || l.content && f.ByRead {
			continue
		}
		if f.Both && s.Object == f.Act && len(p.others) < maxOthers {
			p.others = append(p.others, intrusion{l, g.id, site, nil})
		}
		switch {
		case p.hit != nil || !p.at.overlaps(&l):
		case l.content:
			if p.perhaps == nil {
				p.perhaps = &intrusion{l, g.id, site, stack()}
			}
		default:
			p.hit = &intrusion{l, g.id, site, stack()}
		}
	}
}

func (g *goroutine) find(finding int) *pending {
	for _, p := range g.pending {
		if p.finding == finding {
			return p
		}
	}
	return nil
}

// check begins to wait for the act of a finding. A new check takes the place of an older one.
func (g *goroutine) check(finding int, l location) {
	g.drop(finding)
	p := &pending{finding: finding, g: g, at: l, since: time.Now(), before: memory(&l)}
	r := results[finding]
	r.checked(g, &l)
	if r.Example == nil {
		p.stack = stack()
	}
	g.pending = append(g.pending, p)
	pendings[p] = true
}

func (g *goroutine) drop(finding int) {
	if p := g.find(finding); p != nil {
		delete(pendings, p)
		g.pending = slices.DeleteFunc(g.pending, func(q *pending) bool { return q == p })
	}
}

// memory returns the memory of an object that methods of another package change.
//
//go:norace
func memory(l *location) []byte {
	if !l.content || l.size > maxBytes || l.p == nil {
		return nil
	}
	out := make([]byte, l.size)
	for i := range out {
		out[i] = *(*byte)(unsafe.Add(l.p, i))
	}
	return out
}

// Unit is called at the beginning of the function of findings, and what it returns at the end.
func Unit(findings ...int) func() {
	if !on {
		return func() {}
	}
	g := current()
	mu.Lock()
	defer mu.Unlock()
	if g.units == nil {
		//lint:ignore stalevalue a record that forget drops holds nothing, and its goroutine makes another
		g.units, g.role = make(map[int]int), make(map[int]bool)
	}
	for _, i := range findings {
		g.units[i]++
	}
	return func() {
		mu.Lock()
		defer mu.Unlock()
		for _, i := range findings {
			if g.units[i]--; g.units[i] == 0 {
				delete(g.units, i)
				delete(g.role, i)
				g.drop(i)
			}
		}
	}
}

// B, A and P wrap the function of a call: B that of a check, A that of an act, and P one before
// which a goroutine pauses. B0, A0 and P0 stand before a statement, and V stands for an argument
// of the act.
func B[F any](finding int, f F) F { B0(finding); return f }
func A[F any](finding int, f F) F { A0(finding); return f }
func P[F any](finding int, f F) F { P0(finding); return f }
func V[T any](finding int, v T) T { A0(finding); return v }

func B0(finding int) { setRole(finding, false) }

func A0(finding int) {
	if setRole(finding, true); on {
		current().pause(finding)
	}
}

func P0(finding int) {
	if on {
		current().pause(finding)
	}
}

func setRole(finding int, act bool) {
	if !on {
		return
	}
	g := current()
	mu.Lock()
	defer mu.Unlock()
	if g.units[finding] > 0 {
		//lint:ignore stalevalue a record that forget drops holds nothing, and its goroutine makes another
		g.role[finding] = act
	}
}

// inBubble reports whether the goroutine is in a bubble of testing/synctest, whose clock begins in the
// year 2000. A goroutine that sleeps there is durably blocked: synctest.Wait returns during its pause.
func inBubble() bool { return time.Now().UnixNano() < start.UnixNano() }

// pause waits until another goroutine has interfered, or for as long as a pause may be.
func (g *goroutine) pause(finding int) {
	mu.Lock()
	p := g.find(finding)
	if p == nil || p.tried {
		mu.Unlock()
		return
	}
	p.tried = true
	r := results[finding]
	// A trial is one check: it is always due, and its pause lasts until the rival has run.
	trial := inTrial
	if !force[finding] || p.hit != nil || spent >= cfg.Budget || !trial && !r.isDue() || inBubble() {
		mu.Unlock()
		return
	}
	p.paused = true
	r.Pauses++
	pausing++
	mu.Unlock()

	begin, woken, ended := time.Now(), false, false
	for !ended && (!woken || trial) && time.Since(begin) < cfg.Pause {
		time.Sleep(poll)
		mu.Lock()
		woken, ended = p.hit != nil, hurry > 0
		mu.Unlock()
	}
	if woken {
		time.Sleep(settle)
	}
	mu.Lock()
	pausing--
	hurry = max(hurry-1, 0)
	spent += time.Since(begin)
	if woken {
		r.Woken++
	}
	mu.Unlock()
}

// act ends the wait for an act, and notes what came in between.
func (g *goroutine) act(finding int, l location) {
	g.pause(finding)
	mu.Lock()
	defer mu.Unlock()
	p := g.find(finding)
	if p == nil {
		return
	}
	r := results[finding]
	r.Acts++
	if p.hit == nil && p.perhaps != nil && p.before != nil && !bytes.Equal(p.before, memory(&p.at)) {
		p.hit = p.perhaps
	}
	if p.hit != nil && (!cfg.Findings[finding].Both || p.both(&l)) {
		r.observed(p)
	}
	g.drop(finding)
	flush(false)
}

// both reports whether the goroutine that interfered has accessed the object of the act, too.
func (p *pending) both(l *location) bool {
	return slices.ContainsFunc(p.others, func(o intrusion) bool { return o.g == p.hit.g && l.overlaps(&o.l) })
}

func stack() []uintptr {
	var pcs [maxStack]uintptr
	return slices.Clone(pcs[:runtime.Callers(2, pcs[:])])
}

// frames returns a stack as text, without the functions of this package and the runtime.
func frames(pcs []uintptr) (out []string) {
	if len(pcs) == 0 {
		return nil
	}
	list := runtime.CallersFrames(pcs)
	for {
		f, more := list.Next()
		if !strings.Contains(f.Function, "/atomvetrt.") && !strings.HasPrefix(f.Function, "runtime.") {
			out = append(out, f.Function+" "+f.File+":"+itoa(f.Line))
		}
		if !more {
			return out
		}
	}
}
