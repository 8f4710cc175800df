package idiom

import "sync"

// Jobs are run in order by the only goroutine that takes them out; others only append.
type Scheduler struct {
	log  func(string)
	stop func()

	mu      sync.Mutex
	changed *sync.Cond
	pending []func()
	stopped bool
}

// NewScheduler gives the object to others before it starts the goroutine; there is one for
// each object all the same.
func NewScheduler(register func(stop func()), names chan string) *Scheduler {
	f := &Scheduler{}
	f.changed = sync.NewCond(&f.mu)
	register(f.end)
	go f.run(names)
	return f
}

func (f *Scheduler) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.changed.Broadcast()
}

func (f *Scheduler) Schedule(job func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = append(f.pending, job)
	f.changed.Broadcast()
}

func (f *Scheduler) head() (func(), bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.pending) == 0 && !f.stopped {
		f.changed.Wait()
	}
	if len(f.pending) == 0 {
		return nil, false
	}
	return f.pending[0], true
}

func (f *Scheduler) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = f.pending[1:]
}

func (f *Scheduler) run(names chan string) {
	for range names {
		job, ok := f.head()
		if !ok {
			return
		}
		job()
		f.drop()
	}
}
