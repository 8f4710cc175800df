package marks

import (
	"sync"
	"time"
)

// Run waits for the job, and then takes note that there is none.
func (j *Jobs) Run(id string, work func()) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		work()
		j.mark(id, Done)
	}()
	wg.Wait()
	j.mark(id, Queued)
}

// RunUntilReady goes by what the goroutine has sent.
func (j *Jobs) RunUntilReady(id string, work func()) {
	ready := make(chan error)
	go func() {
		j.mark(id, Queued)
		ready <- nil
		work()
	}()
	if err := <-ready; err == nil {
		j.mark(id, Running)
	}
}

// A Loop has an end that it tells of.
type Loop struct {
	mu    sync.Mutex
	state State
	wg    sync.WaitGroup
	quit  chan struct{}
}

func (l *Loop) set(s State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = s
}

func (l *Loop) serve(work func()) {
	defer l.wg.Done()
	work()
	l.set(Done)
}

func (l *Loop) stop() {
	close(l.quit)
	l.wg.Wait()
}

// Once waits in a callee.
func (l *Loop) Once(work func()) {
	l.wg.Add(1)
	go l.serve(work)
	l.stop()
	l.set(Queued)
}

// ServeUntil has a deferred write, which comes after the wait for the end.
func (l *Loop) ServeUntil() {
	go func() {
		defer l.set(Done)
		for {
			select {
			case <-l.quit:
				return
			}
		}
	}()
	l.set(Running)
}

// A Buffer is flushed by a goroutine that clears its mark.
type Buffer struct {
	mu    sync.Mutex
	dirty bool
}

func (b *Buffer) touch() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty = true
}

func (b *Buffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty = false
}

// Write asks for another flush.
func (b *Buffer) Write() {
	b.touch()
	go b.flush()
	b.touch()
}

// Expire has a goroutine that waits for a time first.
func (l *Loop) Expire() {
	go func() {
		time.Sleep(time.Minute)
		l.set(Done)
	}()
	l.set(Running)
}

// runOnce waits for what it starts, or for the panic of that.
func (l *Loop) runOnce(work func()) error {
	failed := make(chan any, 1)
	ended := make(chan struct{})
	go func() {
		defer func() {
			if r := recover(); r != nil {
				failed <- r
			}
		}()
		work()
		l.set(Done)
		close(ended)
	}()
	select {
	case r := <-failed:
		panic(r)
	case <-ended:
	}
	return nil
}

// RunOnce marks after that.
func (l *Loop) RunOnce(work func()) {
	if err := l.runOnce(work); err == nil {
		l.set(Queued)
	}
}
