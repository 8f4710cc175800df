package etcdserver

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrStopped = errors.New("etcdserver: server stopped")
	ErrTimeout = errors.New("etcdserver: request timed out")
)

type notifier struct {
	c   chan struct{}
	err error
}

func newNotifier() *notifier {
	return &notifier{
		c: make(chan struct{}),
	}
}

func (nc *notifier) notify(err error) {
	nc.err = err
	close(nc.c)
}

type raftNode interface {
	// ReadIndex returns the index that the quorum has confirmed.
	ReadIndex(ctx context.Context) (uint64, error)
}

type EtcdServer struct {
	r raftNode

	appliedIndex atomic.Uint64
	applyWait    waitTime

	readMu sync.RWMutex
	// read routine notifies etcd server that it waits for reading by sending an empty struct to
	// readwaitC
	readwaitc chan struct{}
	// readNotifier is used to notify the read routine that it can process the request
	// when there is no error
	readNotifier *notifier

	stopping chan struct{}
	done     chan struct{}

	kvMu sync.RWMutex
	kv   map[string]string
}

func NewServer(r raftNode) *EtcdServer {
	s := &EtcdServer{
		r:            r,
		readwaitc:    make(chan struct{}, 1),
		readNotifier: newNotifier(),
		stopping:     make(chan struct{}),
		done:         make(chan struct{}),
		kv:           make(map[string]string),
	}
	s.applyWait.m = make(map[uint64]chan struct{})
	go s.linearizableReadLoop()
	return s
}

func (s *EtcdServer) Range(ctx context.Context, key string) (string, error) {
	if err := s.linearizableReadNotify(ctx); err != nil {
		return "", err
	}
	s.kvMu.RLock()
	defer s.kvMu.RUnlock()
	return s.kv[key], nil
}

// applyAll is called by the apply routine.
func (s *EtcdServer) applyAll(index uint64, kvs map[string]string) {
	s.kvMu.Lock()
	for k, v := range kvs {
		s.kv[k] = v
	}
	s.kvMu.Unlock()
	s.appliedIndex.Store(index)
	s.applyWait.Trigger(index)
}

func (s *EtcdServer) linearizableReadLoop() {
	defer close(s.done)
	for {
		select {
		case <-s.readwaitc:
		case <-s.stopping:
			return
		}

		// as a single loop is can unlock multiple reads, it is not very useful
		// to propagate the trace from Txn or Range.
		nextnr := newNotifier()
		s.readMu.Lock()
		nr := s.readNotifier
		s.readNotifier = nextnr
		s.readMu.Unlock()

		confirmedIndex, err := s.requestCurrentIndex()
		if err != nil {
			nr.notify(err)
			continue
		}

		appliedIndex := s.appliedIndex.Load()
		if appliedIndex < confirmedIndex {
			select {
			case <-s.applyWait.Wait(confirmedIndex):
			case <-s.stopping:
				return
			}
		}
		// unblock all l-reads requested at indices before confirmedIndex
		nr.notify(nil)
	}
}

func (s *EtcdServer) requestCurrentIndex() (uint64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 7*time.Second)
	defer cancel()
	idx, err := s.r.ReadIndex(ctx)
	if err != nil {
		return 0, ErrTimeout
	}
	return idx, nil
}

func (s *EtcdServer) linearizableReadNotify(ctx context.Context) error {
	s.readMu.RLock()
	nc := s.readNotifier
	s.readMu.RUnlock()

	// signal linearizable loop for current notify if it hasn't been already
	select {
	case s.readwaitc <- struct{}{}:
	default:
	}

	// wait for read state notification
	select {
	case <-nc.c:
		return nc.err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return ErrStopped
	}
}

// waitTime triggers all the waiters up to a deadline.
type waitTime struct {
	mu   sync.Mutex
	last uint64
	m    map[uint64]chan struct{}
}

var closec chan struct{}

func init() { closec = make(chan struct{}); close(closec) }

// Wait returns a chan that waits on the given logical deadline.
func (tl *waitTime) Wait(deadline uint64) <-chan struct{} {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	if tl.last >= deadline {
		return closec
	}
	ch := tl.m[deadline]
	if ch == nil {
		ch = make(chan struct{})
		tl.m[deadline] = ch
	}
	return ch
}

// Trigger triggers all the waiting chans with an equal or earlier logical deadline.
func (tl *waitTime) Trigger(deadline uint64) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	tl.last = deadline
	for t, ch := range tl.m {
		if t <= deadline {
			delete(tl.m, t)
			close(ch)
		}
	}
}
