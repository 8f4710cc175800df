// Package deque is the load sharing of FJTaskRunner in util.concurrent, from the
// paper about context and witness locks (Fig. 11, sor).
//
// Benign: Worker.Steal holds the worker and passes the lock of the victim twice,
// once to see whether there is anything, and once to take it. Somebody else may
// have taken the last task in between, but Deque.Take looks again and says so.
package deque

import "sync"

type Deque struct {
	mu    sync.Mutex
	tasks []func()
}

func (d *Deque) Put(task func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tasks = append(d.tasks, task)
}

func (d *Deque) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.tasks)
}

// Take takes the oldest task, if there is one.
func (d *Deque) Take() (task func(), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.tasks) == 0 {
		return nil, false
	}
	task = d.tasks[0]
	d.tasks = d.tasks[1:]
	return task, true
}

type Worker struct {
	mu     sync.Mutex
	stolen int
}

func (w *Worker) Steal(victim *Deque) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if victim.Len() == 0 {
		return nil
	}
	task, ok := victim.Take()
	if !ok {
		return nil
	}
	w.stolen++
	return task
}

func Run() {
	d := &Deque{}
	for range 8 {
		d.Put(func() {})
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			w := &Worker{}
			for task := w.Steal(d); task != nil; task = w.Steal(d) {
				task()
			}
		})
	}
	wg.Wait()
}
