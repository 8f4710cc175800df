package atomvetrt

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// A Result is what was seen of a finding.
type Result struct {
	Checks, Acts, Pauses, Woken int
	// Natural, Forced and Revalidated are the acts with an intrusion since the check: without
	// a pause, after a pause, and after a second look.
	Natural, Forced, Revalidated int
	// Goroutines made the checks. Shared are the objects that were checked by one goroutine
	// and accessed in the way that interferes by another, of Objects that were checked.
	Goroutines, Objects, Shared int
	// Rivals counts the intrusions by position.
	Rivals  map[string]int
	Tests   []string // that ran when the first intrusion was seen
	Example *Example

	checkers map[uint64]bool
	objects  map[uintptr]*users
}

// An Example is one intrusion.
type Example struct {
	Check, Rival, Act []string // stacks
	Forced            bool
	After             time.Duration // since the check
	Tests             []string
}

// users are the goroutines that use an object.
type users struct {
	checker, rival uint64
	shared         bool
}

// A Report is what a process writes.
type Report struct {
	Args     []string
	Events   int
	Paused   time.Duration
	Wall     time.Duration
	Results  []*Result    `json:",omitempty"`
	Observed *Observation `json:",omitempty"`
}

var (
	results []*Result
	events  int
	tests   = make(map[string]int)
	written time.Time
	flushes int // that were asked for
)

// maxKept bounds the goroutines and the objects that are counted for one finding.
const maxKept = 4096

func newResult() *Result {
	return &Result{checkers: make(map[uint64]bool), objects: make(map[uintptr]*users), Rivals: make(map[string]int)}
}

// checked notes a check.
func (r *Result) checked(g *goroutine, l *location) {
	r.Checks++
	if len(r.checkers) < maxKept {
		r.checkers[g.id] = true
	}
	r.Goroutines = len(r.checkers)
	if u := r.user(l); u != nil {
		u.checker = g.id
		r.share(u)
	}
	flush(false)
}

func (r *Result) user(l *location) *users {
	at := uintptr(l.p)
	if l.base != nil {
		at = uintptr(l.base) // a map may be in several variables
	}
	if u := r.objects[at]; u != nil || len(r.objects) >= maxKept {
		return u
	}
	u := new(users)
	r.objects[at] = u
	return u
}

func (r *Result) share(u *users) {
	if !u.shared && u.checker != 0 && u.rival != 0 && u.checker != u.rival {
		u.shared = true
		r.Shared++
	}
}

// noteAccess notes an access of the kind that interferes with findings about its object. That of a whole
// struct may be one to several.
func noteAccess(g *goroutine, s *Site, l location, write bool) {
	if s.Whole {
		for i, r := range results {
			if !cfg.Findings[i].ByRead {
				r.interfereAll(g, &l)
			}
		}
		return
	}
	for _, i := range byObject()[s.Object] {
		if write != cfg.Findings[i].ByRead || l.content {
			if u := results[i].user(&l); u != nil {
				results[i].interfere(g, u)
			}
		}
	}
}

// interfere notes that a goroutine interferes with the users of an object. Of two goroutines that do the
// same, either may be the rival.
func (r *Result) interfere(g *goroutine, u *users) {
	if u.rival == 0 || u.rival == u.checker {
		u.rival = g.id
	}
	r.share(u)
}

// interfereAll does so for the objects in a struct.
func (r *Result) interfereAll(g *goroutine, l *location) {
	from := uintptr(l.p)
	for at, u := range r.objects {
		if from <= at && at < from+max(l.size, 1) {
			r.interfere(g, u)
		}
	}
}

var findingsOf map[int][]int

// byObject returns the findings about each object.
func byObject() map[int][]int {
	if findingsOf == nil {
		findingsOf = make(map[int][]int)
		for i, f := range cfg.Findings {
			findingsOf[f.Object] = append(findingsOf[f.Object], i)
		}
	}
	return findingsOf
}

// isDue makes pauses ever rarer.
func (r *Result) isDue() bool {
	switch n := r.Checks; {
	case n > 1000:
		return n%100 == 0
	case n > 100:
		return n%10 == 0
	}
	return true
}

// observed notes an act with an intrusion.
func (r *Result) observed(p *pending) {
	r.Rivals[cfg.Sites[p.hit.site].Pos]++
	switch {
	case p.again:
		r.Revalidated++
		return
	case p.paused:
		r.Forced++
	default:
		r.Natural++
	}
	if r.Example == nil {
		r.Example = &Example{
			Check: frames(p.stack), Rival: frames(p.hit.stack), Act: frames(stack()),
			Forced: p.paused, After: time.Since(p.since), Tests: slices.Sorted(maps.Keys(tests)),
		}
		flush(true)
	}
}

// T notes that a test begins, and what it returns that the test ends.
func T(name string) func() {
	if !on {
		return func() {}
	}
	mu.Lock()
	defer mu.Unlock()
	tests[name]++
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if tests[name]--; tests[name] == 0 {
			delete(tests, name)
		}
		flush(true)
	}
}

// flushEvery bounds how often the results are written: a process may end at any time.
const flushEvery = 250 * time.Millisecond

// flush writes the results, unless they have just been written. The first ones are written at ever
// longer intervals, so that of a process which ends at once a half of them is known. The mutex is held.
func flush(now bool) {
	flushes++
	if few := flushes&(flushes-1) == 0; !now && !few && time.Since(written) < flushEvery {
		return
	}
	written = time.Now()
	r := Report{Args: os.Args, Events: events, Paused: spent, Wall: time.Since(start), Results: results}
	for _, x := range results {
		x.Objects = len(x.objects)
	}
	if cfg.Observe {
		r.Observed = observation()
	}
	data, err := json.Marshal(r)
	if err != nil {
		return
	}
	name := filepath.Join(cfg.Out, strconv.Itoa(os.Getpid())+".json")
	if os.WriteFile(name+".part", data, 0o666) == nil {
		os.Rename(name+".part", name)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
