package etcdserver

import "sync"

// fifo runs jobs one after the other, in the order in which they come.
type fifo struct {
	mu       sync.Mutex
	cond     *sync.Cond
	finished int
	pendings []func()
}

func newFIFOScheduler() *fifo {
	f := &fifo{}
	f.cond = sync.NewCond(&f.mu)
	go f.run()
	return f
}

// Schedule adds a job.
func (f *fifo) Schedule(j func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pendings = append(f.pendings, j)
	f.cond.Broadcast()
}

// WaitFinish waits until at least n jobs and all pending jobs are finished.
func (f *fifo) WaitFinish(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.finished < n || len(f.pendings) != 0 {
		f.cond.Wait()
	}
}

func (f *fifo) run() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		for len(f.pendings) == 0 {
			f.cond.Wait()
		}
		todo := f.pendings[0]
		f.mu.Unlock()
		todo()
		f.mu.Lock()
		f.finished++
		f.pendings = f.pendings[1:]
		f.cond.Broadcast()
	}
}
