// Package twice has functions that read one variable twice in one operation.
package twice

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
)

// A Scheduler takes a slot for each item while it leads.
type Scheduler struct {
	leading atomic.Bool
	slots   chan struct{}
	done    chan string
}

func (s *Scheduler) Elect(won bool) { s.leading.Store(won) }

func (s *Scheduler) Handle(item string, apply func(string)) {
	if s.leading.Load() {
		s.slots <- struct{}{}
	}
	apply(item)
	if s.leading.Load() { // want `split-read: s.leading is read here a second time after line 21, in separate atomic operations, and what was begun by the first answer is continued by this one, but it may be changed in between by \(\*Scheduler\).Elect`
		<-s.slots
	}
}

// HandleOnce reads it once.
func (s *Scheduler) HandleOnce(item string, apply func(string)) {
	leading := s.leading.Load()
	if leading {
		s.slots <- struct{}{}
	}
	apply(item)
	if leading {
		<-s.slots
	}
}

// Tell does two things that have nothing to do with each other.
func (s *Scheduler) Tell(ready, apply chan string) {
	if s.leading.Load() {
		ready <- "ready"
	}
	if s.leading.Load() {
		apply <- "apply"
	}
}

// Await leaves when it has lost the lead.
func (s *Scheduler) Await(item string) bool {
	if !s.leading.Load() {
		return false
	}
	s.slots <- struct{}{}
	if !s.leading.Load() {
		<-s.slots
		return false
	}
	s.done <- item
	<-s.slots
	return true
}

// Switch has changed it itself.
func (s *Scheduler) Switch() {
	if s.leading.Load() {
		s.slots <- struct{}{}
	}
	s.leading.Store(!s.leading.Load())
	if s.leading.Load() {
		<-s.slots
	}
}

// A Gate ends what it has begun if it traces.
type Gate struct {
	mu      sync.Mutex
	tracing bool
	begin   func(string) (end func())
}

func (g *Gate) Trace(on bool) {
	g.mu.Lock()
	g.tracing = on
	g.mu.Unlock()
}

func (g *Gate) traced() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tracing
}

func (g *Gate) Serve(path string, next func()) {
	var end func()
	if g.traced() {
		end = g.begin(path)
	}
	next()
	if !g.traced() { // want `split-read: g.tracing is read here a second time after line 99`
		return
	}
	end()
}

func (g *Gate) ServeOnce(path string, next func()) {
	var end func()
	if g.traced() {
		end = g.begin(path)
	}
	next()
	if end != nil {
		end()
	}
}

// A Feed is compressed if it is told so.
type Feed struct {
	mu   sync.RWMutex
	zip  bool
	make func(io.Writer) io.WriteCloser
}

func (f *Feed) Compress(on bool) {
	f.mu.Lock()
	f.zip = on
	f.mu.Unlock()
}

func (f *Feed) compressed() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.zip
}

func (f *Feed) Write(w interface {
	io.Writer
	Header(string)
}, text []byte) {
	if f.compressed() {
		w.Header("gzip")
	}
	out := io.Writer(w)
	if f.compressed() { // want `split-read: f.zip is read here a second time`
		zw := f.make(w)
		defer zw.Close()
		out = zw
	}
	out.Write(text)
}

// A Limiter gives the slot back where it has taken it.
type Limiter struct {
	mu    sync.Mutex
	slots chan struct{}
}

func (l *Limiter) Resize(n int) {
	l.mu.Lock()
	l.slots = make(chan struct{}, n)
	l.mu.Unlock()
}

func (l *Limiter) current() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slots
}

func (l *Limiter) Do(ctx context.Context, f func()) error {
	select {
	case l.current() <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	f()
	<-l.current() // want `split-read: l.slots is read here a second time`
	return nil
}

func (l *Limiter) DoOnce(f func()) {
	slots := l.current()
	slots <- struct{}{}
	f()
	<-slots
}

// A Lock is a lock that is only taken if it is needed.
type Lock struct {
	shared atomic.Bool
	mu     sync.Mutex
	n      int
}

func (l *Lock) Share() { l.shared.Store(true); l.shared.Store(false) }

func (l *Lock) Add() {
	if l.shared.Load() {
		l.mu.Lock()
	}
	l.n++
	if l.shared.Load() { // want `split-read: l.shared is read here a second time`
		l.mu.Unlock()
	}
}

// A Journal tells the number and the author of its last page.
type Journal struct {
	mu    sync.RWMutex
	pages []string
}

func (j *Journal) Replace(pages []string) {
	j.mu.Lock()
	j.pages = pages
	j.mu.Unlock()
}

func (j *Journal) Count() int {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return len(j.pages)
}

func (j *Journal) Author() string {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if n := len(j.pages); n > 0 {
		return j.pages[n-1]
	}
	return ""
}

func (j *Journal) Last() (int, string) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if n := len(j.pages); n > 0 {
		return n, j.pages[n-1]
	}
	return 0, ""
}

type Position struct {
	Page   int
	Author string
}

// At is the position of a page that never was.
func (j *Journal) At() Position {
	return Position{
		Page:   j.Count(),
		Author: j.Author(), // want `split-read: j.pages is read here a second time after line \d+, in separate critical sections, and both answers become parts of one object, but it may be changed in between by \(\*Journal\).Replace .*\[medium confidence: the two are only told together`
	}
}

// AtOnce asks once.
func (j *Journal) AtOnce() Position {
	page, author := j.Last()
	return Position{page, author}
}

// Tell uses each answer for itself.
func (j *Journal) Tell(count func(int), author func(string)) {
	count(j.Count())
	author(j.Author())
}

// Size is another name of Count.
func (j *Journal) Size() int { return j.Count() }

type sizes struct{ pages, entries int }

// Sizes are the same number twice.
func (j *Journal) Sizes() sizes {
	return sizes{pages: j.Count(), entries: j.Size()}
}

// authorOf returns who has written the last page, if that is still page n.
func (j *Journal) authorOf(n int) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.pages) != n {
		return ""
	}
	return j.pages[n-1]
}

// AtChecked gives the first answer to the callee that reads the second.
func (j *Journal) AtChecked() Position {
	n := j.Count()
	return Position{Page: n, Author: j.authorOf(n)}
}

// A Ruleset has its segments in a list, by whose positions the rules name them.
type Ruleset struct {
	rules    map[string]Rule
	segments []map[string]bool
}

type Rule struct{ segment, limit int }

// Rules has the ruleset of today.
type Rules struct{ latest atomic.Pointer[Ruleset] }

func (r *Rules) Load(next *Ruleset) { r.latest.Store(next) }

func (r *Rules) rule(name string) (Rule, bool) {
	x, ok := r.latest.Load().rules[name]
	return x, ok
}

func (r *Rules) inSegment(n int, user string) bool {
	list := r.latest.Load().segments
	return n < len(list) && list[n][user]
}

func (r *Rules) few(limit int) bool { return len(r.latest.Load().segments) < limit }

// Enabled takes the segment of another ruleset.
func (r *Rules) Enabled(name, user string) bool {
	x, ok := r.rule(name)
	return ok && r.inSegment(x.segment, user) // want `split-read: r\.latest is read here a second time after line \d+`
}

// Small asks for no position.
func (r *Rules) Small(name string) bool {
	x, ok := r.rule(name)
	return ok && r.few(x.limit)
}

// EnabledIn has one ruleset.
func (r *Rules) EnabledIn(name, user string) bool {
	all := r.latest.Load()
	x, ok := all.rules[name]
	return ok && x.segment < len(all.segments) && all.segments[x.segment][user]
}

// index finds a rule's position in the list.
func (r *Rules) index(user string) int {
	for i, s := range r.latest.Load().segments {
		if s[user] {
			return i
		}
	}
	return -1
}

func (r *Rules) at(n int) map[string]bool {
	list := r.latest.Load().segments
	if n < 0 || n >= len(list) {
		return nil
	}
	return list[n]
}

// Of takes what is at the position now: that there is something says nothing.
func (r *Rules) Of(user string) map[string]bool {
	return r.at(r.index(user)) // want `split-read: r\.latest is read here a second time`
}

type byPosition interface{ at(n int) map[string]bool }

// OfAny does so by an interface.
func (r *Rules) OfAny(user string) map[string]bool {
	var all byPosition = r
	return all.at(r.index(user)) // want `split-read: r\.latest is read here a second time`
}

func (r *Rules) count() int { return len(r.latest.Load().segments) }

// Last asks for a length, which the callee compares.
func (r *Rules) Last() map[string]bool { return r.at(r.count() - 1) }
