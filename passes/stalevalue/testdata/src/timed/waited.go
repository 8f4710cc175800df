package timed

import (
	"sync"
	"time"
)

type guest struct {
	key     string
	expires time.Time
	done    chan bool
}

// Guests live until their time is up, which every use puts off.
type Guests struct {
	mu  sync.Mutex
	all map[string]*guest
}

func (s *Guests) Touch(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.all[key]; x != nil {
		x.expires = time.Now().Add(time.Minute)
	}
}

// Sleep reads the time in the goroutine.
func (s *Guests) Sleep(key string) {
	go func() {
		s.mu.Lock()
		d := time.Until(s.all[key].expires)
		s.mu.Unlock()
		time.Sleep(d)
		s.mu.Lock()
		delete(s.all, key) // want `s.all\[key\] is removed here after a wait until .* as it was read at line 32; \(\*Guests\).Touch \(waited.go:24\) may have written it while this has waited for the time, or for the lock, and it is not read again`
		s.mu.Unlock()
	}()
}

// After hands the time to the goroutine.
func (s *Guests) After(key string) {
	s.mu.Lock()
	x := s.all[key]
	d := time.Until(x.expires)
	s.mu.Unlock()
	go func() {
		select {
		case <-time.After(d):
			s.mu.Lock()
			delete(s.all, key) // want `removed here after a wait until .* as it was read at line 45`
			s.mu.Unlock()
		case <-x.done:
		}
	}()
}

// Timer waits for the channel of a timer.
func (s *Guests) Timer(x *guest) {
	s.mu.Lock()
	t := time.NewTimer(time.Until(x.expires))
	s.mu.Unlock()
	defer t.Stop()
	select {
	case <-t.C:
		s.mu.Lock()
		delete(s.all, x.key) // want `removed here after a wait until x.expires as it was read at line 61`
		s.mu.Unlock()
	case <-x.done:
	}
}

// Func starts a timer that nobody keeps.
func (s *Guests) Func(x *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	time.AfterFunc(time.Until(x.expires), func() {
		s.mu.Lock()
		delete(s.all, x.key) // want `removed here after a wait until x.expires as it was read at line 77`
		s.mu.Unlock()
	})
}

// Careful ones are asked for their time, or for the number that each use gives them.
type Careful struct {
	mu  sync.Mutex
	all map[string]*careful
}

type careful struct {
	key     string
	expires time.Time
	uses    int
}

func (s *Careful) Touch(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.all[key]; x != nil {
		x.expires = time.Now().Add(time.Minute)
		x.uses++
	}
}

func (s *Careful) add(x *careful) {
	s.mu.Lock()
	defer s.mu.Unlock()
	time.AfterFunc(time.Until(x.expires), func() {
		s.mu.Lock()
		if !time.Now().Before(x.expires) {
			delete(s.all, x.key)
		}
		s.mu.Unlock()
	})
}

func (s *Careful) addSame(x *careful) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uses := x.uses
	time.AfterFunc(time.Until(x.expires), func() {
		s.mu.Lock()
		if x.uses == uses {
			delete(s.all, x.key)
		}
		s.mu.Unlock()
	})
}

// Paced ones wait as long as all do, which can be changed.
type Paced struct {
	mu    sync.Mutex
	pause time.Duration
	all   map[string]bool
}

func (s *Paced) SetPause(d time.Duration) {
	s.mu.Lock()
	s.pause = d
	s.mu.Unlock()
}

func (s *Paced) add(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[key] = true
	time.AfterFunc(s.pause, func() {
		s.mu.Lock()
		delete(s.all, key)
		s.mu.Unlock()
	})
}

func (s *Paced) Add(key string) { s.add(key) }

// Fixed ones are given a time once, and the only other one is for ever.
type Fixed struct {
	mu  sync.Mutex
	all map[string]*fixed
}

type fixed struct {
	key  string
	wait time.Duration
}

func (s *Fixed) Forever(x *fixed) {
	s.mu.Lock()
	x.wait = 1 << 60
	s.mu.Unlock()
}

func (s *Fixed) add(x *fixed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[x.key] = x
	time.AfterFunc(x.wait, func() {
		s.mu.Lock()
		delete(s.all, x.key)
		s.mu.Unlock()
	})
}

func (s *Fixed) Add(x *fixed) { s.add(x) }

// Alone is a loop: nobody else changes the times.
type Alone struct {
	mu    sync.Mutex
	all   map[string]*slowed
	queue chan *slowed
}

type slowed struct {
	key  string
	wait time.Duration
}

func NewAlone() *Alone {
	a := &Alone{all: make(map[string]*slowed), queue: make(chan *slowed)}
	go a.loop()
	return a
}

func (a *Alone) loop() {
	for x := range a.queue {
		a.run(x)
		a.slow(x)
	}
}

func (a *Alone) run(x *slowed) {
	a.mu.Lock()
	d := x.wait
	a.mu.Unlock()
	time.Sleep(d)
	a.mu.Lock()
	delete(a.all, x.key)
	a.mu.Unlock()
}

func (a *Alone) slow(x *slowed) {
	a.mu.Lock()
	x.wait *= 2
	a.mu.Unlock()
}
