package nomad

import (
	"context"
	"sync"
	"time"
)

// EvalBroker is used to manage brokering of evaluations.
type EvalBroker struct {
	enabled         bool
	enabledNotifier *GenericNotifier
	ready           []string
	l               sync.RWMutex
}

// NewEvalBroker creates a new evaluation broker.
func NewEvalBroker(ctx context.Context) *EvalBroker {
	b := &EvalBroker{
		enabledNotifier: NewGenericNotifier(ctx),
	}
	go b.enabledNotifier.Run()
	return b
}

// Enabled is used to check if the broker is enabled.
func (b *EvalBroker) Enabled() bool {
	b.l.RLock()
	defer b.l.RUnlock()
	return b.enabled
}

// SetEnabled is used to control if the broker is enabled. The broker
// should only be enabled on the active leader.
func (b *EvalBroker) SetEnabled(enabled bool) {
	b.l.Lock()
	prevEnabled := b.enabled
	b.enabled = enabled
	if !enabled {
		b.ready = nil
	}
	b.l.Unlock()

	// Notify all subscribers to state changes of the broker enabled value.
	if enabled != prevEnabled {
		b.enabledNotifier.Notify("eval broker enabled status changed")
	}
}

// Enqueue is used to enqueue a new evaluation
func (b *EvalBroker) Enqueue(eval string) {
	b.l.Lock()
	defer b.l.Unlock()
	if b.enabled {
		b.ready = append(b.ready, eval)
	}
}

// Dequeue returns the next evaluation, if there is one.
func (b *EvalBroker) Dequeue() (string, bool) {
	b.l.Lock()
	defer b.l.Unlock()
	if !b.enabled || len(b.ready) == 0 {
		return "", false
	}
	eval := b.ready[0]
	b.ready = b.ready[1:]
	return eval, true
}

// Worker dequeues evaluations and runs the scheduler for them.
type Worker struct {
	srv   *Server
	sched func(eval string)
}

// run is the long-lived goroutine which is used to run the worker
func (w *Worker) run() {
	defer w.srv.workerWG.Done()
	for w.srv.ctx.Err() == nil {
		if !w.srv.evalBroker.Enabled() {
			// Wait for this server to become the leader. The wait is bounded, the
			// change may have happened before we were subscribed.
			w.srv.evalBroker.enabledNotifier.WaitForChange(w.srv.pollInterval)
			continue
		}
		eval, ok := w.srv.evalBroker.Dequeue()
		if !ok {
			select {
			case <-w.srv.ctx.Done():
			case <-time.After(10 * time.Millisecond):
			}
			continue
		}
		w.sched(eval)
	}
}

// Server is Nomad server which manages the job queues, schedulers, etc.
type Server struct {
	ctx          context.Context
	cancel       context.CancelFunc
	evalBroker   *EvalBroker
	pollInterval time.Duration
	workerWG     sync.WaitGroup
}

// NewServer is used to construct a new Nomad server
func NewServer(workers int, sched func(string)) *Server {
	s := &Server{pollInterval: 5 * time.Second}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.evalBroker = NewEvalBroker(s.ctx)
	for i := 0; i < workers; i++ {
		w := &Worker{srv: s, sched: sched}
		s.workerWG.Add(1)
		go w.run()
	}
	return s
}

// Shutdown is used to shutdown the server
func (s *Server) Shutdown() {
	s.cancel()
	s.evalBroker.SetEnabled(false)

	// Wait for the workers to finish
	s.workerWG.Wait()
}
