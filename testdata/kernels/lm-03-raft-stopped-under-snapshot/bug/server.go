package etcdserver

import (
	"context"
	"errors"
	"log"
	"sync"
)

var errWALClosed = errors.New("wal: closed")

type Snapshot struct {
	Index uint64
	Data  []byte
}

type Storage struct {
	mu     sync.Mutex
	closed bool
	snaps  []Snapshot
	ents   []uint64
}

func (st *Storage) Save(index uint64) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return errWALClosed
	}
	st.ents = append(st.ents, index)
	return nil
}

func (st *Storage) SaveSnap(s Snapshot) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return errWALClosed
	}
	st.snaps = append(st.snaps, s)
	return nil
}

func (st *Storage) Close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.closed = true
	return nil
}

type apply struct {
	index    uint64
	raftDone chan struct{}
}

type raftNode struct {
	storage  *Storage
	proposec chan uint64
	applyc   chan apply
	stopped  chan struct{}
	done     chan struct{}
}

func (r *raftNode) start() {
	r.applyc = make(chan apply)
	r.stopped = make(chan struct{})
	r.done = make(chan struct{})
	go func() {
		defer r.onStop()
		for {
			select {
			case i := <-r.proposec:
				ap := apply{index: i, raftDone: make(chan struct{}, 1)}
				select {
				case r.applyc <- ap:
				case <-r.stopped:
					return
				}
				if err := r.storage.Save(i); err != nil {
					log.Fatalf("raft save state and entries error: %v", err)
				}
				ap.raftDone <- struct{}{}
			case <-r.stopped:
				return
			}
		}
	}()
}

func (r *raftNode) apply() chan apply { return r.applyc }

func (r *raftNode) stop() {
	close(r.stopped)
	<-r.done
}

func (r *raftNode) onStop() {
	if err := r.storage.Close(); err != nil {
		log.Panicf("raft close storage error: %v", err)
	}
	close(r.done)
}

type store struct {
	mu   sync.Mutex
	data []byte
}

func (s *store) put(i uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = append(s.data, byte(i))
}

func (s *store) Clone() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]byte(nil), s.data...)
}

type fifo struct {
	mu     sync.Mutex
	jobs   chan func(context.Context)
	ctx    context.Context
	cancel context.CancelFunc
	donec  chan struct{}
}

func newFIFOScheduler() *fifo {
	f := &fifo{jobs: make(chan func(context.Context), 16), donec: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(f.donec)
		for {
			select {
			case j := <-f.jobs:
				j(f.ctx)
			case <-f.ctx.Done():
				return
			}
		}
	}()
	return f
}

func (f *fifo) Schedule(j func(context.Context)) {
	select {
	case f.jobs <- j:
	case <-f.ctx.Done():
	}
}

func (f *fifo) Stop() {
	f.cancel()
	<-f.donec
}

type etcdProgress struct {
	snapi    uint64
	appliedi uint64
}

type EtcdServer struct {
	r         raftNode
	store     *store
	snapCount uint64

	errorc chan error
	stop   chan struct{}
	done   chan struct{}

	wg sync.WaitGroup
}

func NewServer(snapCount uint64) *EtcdServer {
	return &EtcdServer{
		r:         raftNode{storage: &Storage{}, proposec: make(chan uint64)},
		store:     &store{},
		snapCount: snapCount,
		errorc:    make(chan error, 1),
		stop:      make(chan struct{}),
		done:      make(chan struct{}),
	}
}

func (s *EtcdServer) Start() { go s.run() }

func (s *EtcdServer) Propose(i uint64) {
	select {
	case s.r.proposec <- i:
	case <-s.done:
	}
}

func (s *EtcdServer) run() {
	s.r.start()

	sched := newFIFOScheduler()
	var ep etcdProgress

	defer func() {
		sched.Stop()

		s.r.stop()

		s.wg.Wait()

		close(s.done)
	}()

	for {
		select {
		case ap := <-s.r.apply():
			sched.Schedule(func(context.Context) { s.applyAll(&ep, &ap) })
		case err := <-s.errorc:
			log.Printf("%s", err)
			return
		case <-s.stop:
			return
		}
	}
}

func (s *EtcdServer) applyAll(ep *etcdProgress, ap *apply) {
	s.store.put(ap.index)
	ep.appliedi = ap.index
	<-ap.raftDone
	s.triggerSnapshot(ep)
}

func (s *EtcdServer) triggerSnapshot(ep *etcdProgress) {
	if ep.appliedi-ep.snapi <= s.snapCount {
		return
	}
	s.snapshot(ep.appliedi)
	ep.snapi = ep.appliedi
}

func (s *EtcdServer) snapshot(snapi uint64) {
	clone := s.store.Clone()

	s.wg.Add(1)
	go func() {
		defer s.wg.Done()

		snap := Snapshot{Index: snapi, Data: clone}
		if err := s.r.storage.SaveSnap(snap); err != nil {
			log.Fatalf("save snapshot error: %v", err)
		}
		log.Printf("saved snapshot at index %d", snap.Index)
	}()
}

func (s *EtcdServer) Stop() {
	select {
	case s.stop <- struct{}{}:
	case <-s.done:
		return
	}
	<-s.done
}
