package interleave

import (
	"strings"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// Ask answers a question.
func (e *Engine) Ask(q Question) Answer {
	key := asked{q.First.Fn, q.Second.Fn, q.Check, q.Act}
	a, ok := e.answers[key]
	if !ok {
		a = e.ask(q)
		e.answers[key] = a
	}
	return a
}

func (e *Engine) ask(q Question) Answer {
	if e.known == nil {
		e.known = NewKnowledge(e.graph)
	}
	if e.spent > limit.RunPackage {
		return Answer{Why: "the package is large"}
	}
	s := &search{e: e, q: &q, w: &world{known: e.known}}
	begin := e.spent
	end := e.spent + limit.RunWork
	leaves := 0
	var other *Answer // a harmful run that is no stale decision
	finish := func(a Answer) Answer {
		a.Cost, a.Leaves = e.spent-begin, leaves
		return a
	}
	for ; ; leaves++ {
		if leaves > limit.RunLeaves || e.spent > end {
			s.fail("too many choices")
			break
		}
		s.w.reset()
		if a := s.leaf(); a.Verdict == Harmful {
			if a.Stale {
				return finish(a)
			}
			if other == nil {
				other = &a
				end = min(end, e.spent+limit.RunFailed)
			}
		}
		if s.why != "" {
			end = min(end, max(e.spent, begin+limit.RunFailed))
		}
		if !s.w.advance() {
			break
		}
	}
	if other != nil {
		return finish(*other)
	}
	return finish(s.answer())
}

// A search goes through the leaves of a question.
type search struct {
	e *Engine
	q *Question
	w *world
	// why says what has kept the search from an answer, "" for nothing.
	why string
	// acts and meets are set by runs that make the act, and in which the units meet.
	acts, meets bool
	last        *run // that was executed
}

func (s *search) fail(why string) {
	if s.why == "" {
		s.why = why
	}
}

// answer returns the verdict where no run is harmful.
func (s *search) answer() Answer {
	switch {
	case s.why != "":
		return Answer{Why: s.why}
	case !s.acts:
		return Answer{Why: "no run makes the act"}
	case !s.meets:
		return Answer{Why: "the units do not meet"}
	}
	return Answer{Verdict: Serializable}
}

// attempt executes a schedule. It returns nil for a run without an outcome.
func (s *search) attempt(sched schedule) (sc *scheduler, end *abort) {
	defer func() {
		if x := recover(); x != nil {
			a, ok := x.(abort)
			if !ok {
				panic(x)
			}
			if a.kind == crashed && s.last.recovers() {
				a.kind = unmodelled
			}
			end = &a
		}
	}()
	sc = s.e.newScheduler(s.q, s.w, sched)
	s.last = sc.r
	sc.execute()
	return sc, nil
}

// leaf compares the interleaved run of a world with those in which check and act are one step.
func (s *search) leaf() (out Answer) {
	defer func() {
		if x := recover(); x != nil {
			a, ok := x.(abort)
			if !ok {
				panic(x)
			}
			s.note(&a) // in a comparison
		}
	}()
	mix, end := s.attempt(inWindow)
	mixed := s.last
	switch {
	case end != nil && end.kind == crashed:
		return s.crash(end, mixed)
	case end != nil:
		s.note(end)
		return Answer{}
	}
	s.acts = s.acts || mix.acted
	if !mix.r.meets() {
		return Answer{}
	}
	s.meets = true
	if !mix.acted {
		return Answer{}
	}
	return s.judge(mix)
}

// note remembers that a run had no outcome.
func (s *search) note(a *abort) {
	if a.kind == unmodelled || a.kind == stuck {
		s.fail(a.why)
	}
}

// crash decides about a run in which a unit panics: it is harmful if it does not in a serial order.
func (s *search) crash(end *abort, mixed *run) Answer {
	for _, sched := range []schedule{after, before} {
		if _, other := s.attempt(sched); other != nil {
			s.note(other)
			return Answer{}
		}
	}
	if why := s.doubtful(nil); why != "" {
		s.fail(why)
		return Answer{}
	}
	second := mixed.threads[1]
	return Answer{
		Verdict: Harmful, Kind: Crash, Stale: second != nil && second.done,
		Why: end.why, Outcome: end.why, Serial: []string{"no crash"}, Run: mixed.history(),
	}
}

// doubtful says why the choices of the world may contradict each other, "" if they do not.
func (s *search) doubtful(groups [][]number) string {
	if !s.w.solvable(groups) {
		return "arithmetic"
	}
	for question := range s.w.chosen {
		if strings.Contains(question, clock) {
			return "the time"
		}
	}
	for form := range s.w.ranges {
		if strings.Contains(form, clock) {
			return "the time"
		}
	}
	return ""
}

// judge compares the interleaved run with others, until there is one that has the same outcome.
func (s *search) judge(mix *scheduler) Answer {
	closest := Answer{Verdict: Harmful, Kind: Crash}
	var groups [][]number
	outside := 0
	against := func(sched schedule) (bool, bool) {
		sc, end := s.attempt(sched)
		if end != nil {
			s.note(end)
			return false, sched >= 0 && (end.kind == infeasible || end.kind == crashed)
		}
		outside = max(outside, sc.outside)
		c := compare(mix.r, sc.r)
		if c.worst == none {
			return false, false
		}
		if sched == before {
			closest.Stale = isStale(mix.r, sc.r)
		}
		if c.worst >= closest.Kind {
			closest.Kind, closest.Why, closest.Outcome = c.worst, c.what+" is "+c.got+" instead of "+c.want, c.what+" is "+c.got
		}
		if sched < 0 {
			closest.Serial = append(closest.Serial, c.what+" is "+c.want)
		}
		if !c.firm && c.worst != identity {
			groups = append(groups, c.open)
		}
		return true, true
	}
	for _, sched := range []schedule{after, before} {
		if _, ok := against(sched); !ok {
			return Answer{}
		}
	}
	for i := range min(max(outside, mix.outside), limit.RunOutside) {
		if _, ok := against(schedule(i + 1)); !ok {
			return Answer{}
		}
	}
	if closest.Kind == identity {
		s.fail("the identity of an object of another package")
		return Answer{}
	}
	if why := s.doubtful(groups); why != "" {
		s.fail(why)
		return Answer{}
	}
	closest.Run = mix.r.history()
	return closest
}
