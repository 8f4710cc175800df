package counters

import (
	"errors"
	"sync"
	"time"
)

// A Join counts down under a lock.
type Join struct {
	mu      sync.Mutex
	waiting map[string]int
	parties int
}

func (j *Join) arrive(name string) {
	j.mu.Lock()
	j.waiting[name]--
	j.mu.Unlock()
}

func (j *Join) arrived(name string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting[name]--
	return j.waiting[name]
}

func (j *Join) ready(name string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.waiting[name] == 0
}

// Complete may start twice: two who arrive both see that nobody is missing.
func (j *Join) Complete(name string, start func()) {
	j.arrive(name)
	if j.ready(name) { // want `stale-use: j\.waiting\[name\] was changed at line \d+, and is loaded here to learn the result.*the section at line \d+ has its own`
		start()
	}
}

// CompleteOwn goes by its own result. That is right.
func (j *Join) CompleteOwn(name string, start func()) {
	if j.arrived(name) == 0 {
		start()
	}
}

// CompleteInOne looks in the section that it counts in. That is right.
func (j *Join) CompleteInOne(start func()) {
	j.mu.Lock()
	j.parties--
	last := j.parties == 0
	j.mu.Unlock()
	if last {
		start()
	}
}

// Late asks whether a bound is reached: a later result is as good.
func (j *Join) Late(name string) bool {
	j.arrive(name)
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.waiting[name] < 2
}

func (j *Join) check(name string, most int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.waiting[name] > most {
		return errMany
	}
	return nil
}

var errMany = errors.New("too many")

// Admit asks whether a bound is exceeded: that there is an error is no result of the counter.
func (j *Join) Admit(name string) error {
	j.arrive(name)
	err := j.check(name, 3)
	if err != nil {
		return err
	}
	return nil
}

// A Pace is adjusted by whoever asks for it.
type Pace struct {
	mu    sync.Mutex
	trust float64
	trip  time.Duration
}

func (p *Pace) adjust() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trust += (1 - p.trust) / 2
}

func (p *Pace) timeout() time.Duration { return time.Duration(float64(p.trip) / p.trust) }

// Timeout is computed from the counter, which is another number: a later value of it is as good.
func (p *Pace) Timeout() time.Duration {
	p.adjust()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.timeout()
}

// Trust returns the counter.
func (p *Pace) Trust() float64 {
	p.adjust()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.trust // want `stale-use: p\.trust was changed at line \d+`
}
