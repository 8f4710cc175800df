package storage

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	ErrCompacted = errors.New("storage: required revision has been compacted")
	ErrFutureRev = errors.New("storage: required revision is a future revision")
)

// fifo is a scheduler: the jobs run one after the other.
type fifo struct {
	mu       sync.Mutex
	resume   chan struct{}
	pendings []func(context.Context)
	ctx      context.Context
	cancel   context.CancelFunc
	donec    chan struct{}
}

func newFIFOScheduler() *fifo {
	f := &fifo{resume: make(chan struct{}, 1), donec: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	go f.run()
	return f
}

func (f *fifo) Schedule(j func(context.Context)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pendings = append(f.pendings, j)
	select {
	case f.resume <- struct{}{}:
	default:
	}
}

func (f *fifo) run() {
	defer close(f.donec)
	for {
		var todo func(context.Context)
		f.mu.Lock()
		if len(f.pendings) != 0 {
			todo = f.pendings[0]
			f.pendings = f.pendings[1:]
		}
		f.mu.Unlock()
		if todo != nil {
			todo(f.ctx)
			continue
		}
		select {
		case <-f.resume:
		case <-f.ctx.Done():
			f.mu.Lock()
			pendings := f.pendings
			f.pendings = nil
			f.mu.Unlock()
			for _, todo := range pendings {
				todo(f.ctx)
			}
			return
		}
	}
}

func (f *fifo) Stop() {
	f.cancel()
	<-f.donec
}

type backend struct {
	mu   sync.Mutex
	revs map[int64][]byte
	meta map[string]int64
}

func (b *backend) put(rev int64, v []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.revs[rev] = v
}

func (b *backend) putMeta(k string, rev int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.meta[k] = rev
}

// deleteBatch deletes up to n revisions that are not kept.
func (b *backend) deleteBatch(rev int64, keep map[int64]struct{}, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for r := range b.revs {
		if r > rev {
			continue
		}
		if _, ok := keep[r]; ok {
			continue
		}
		if n == 0 {
			return false
		}
		delete(b.revs, r)
		n--
	}
	return true
}

func (b *backend) Hash() (h uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for r, v := range b.revs {
		h ^= uint32(r) * 16777619
		h += uint32(len(v))
	}
	return h
}

type store struct {
	mu sync.Mutex // guards the following

	b          *backend
	index      map[string]int64
	currentRev int64
	// the main revision of the last compaction
	compactMainRev int64

	fifoSched *fifo
	stopc     chan struct{}
}

func NewStore() *store {
	return &store{
		b:              &backend{revs: make(map[int64][]byte), meta: make(map[string]int64)},
		index:          make(map[string]int64),
		currentRev:     1,
		compactMainRev: -1,
		fifoSched:      newFIFOScheduler(),
		stopc:          make(chan struct{}),
	}
}

func (s *store) Put(key string, value []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.currentRev++
	s.index[key] = s.currentRev
	s.b.put(s.currentRev, value)
	return s.currentRev
}

// Compact frees the revisions before rev. The channel is closed when they are
// physically deleted.
func (s *store) Compact(rev int64) (<-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev <= s.compactMainRev {
		return nil, ErrCompacted
	}
	if rev > s.currentRev {
		return nil, ErrFutureRev
	}

	s.compactMainRev = rev
	// ensure that desired compaction is persisted
	s.b.putMeta("scheduledCompactRev", rev)

	keep := make(map[int64]struct{})
	for _, r := range s.index {
		keep[r] = struct{}{}
	}
	ch := make(chan struct{})
	j := func(ctx context.Context) {
		defer close(ch)
		select {
		case <-ctx.Done():
			return
		default:
		}
		s.scheduleCompaction(rev, keep)
	}
	s.fifoSched.Schedule(j)
	return ch, nil
}

func (s *store) scheduleCompaction(rev int64, keep map[int64]struct{}) {
	for {
		if s.b.deleteBatch(rev, keep, 10000) {
			s.b.putMeta("finishedCompactRev", rev)
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-s.stopc:
			return
		}
	}
}

func (s *store) Hash() uint32 { return s.b.Hash() }

func (s *store) Close() {
	close(s.stopc)
	s.fifoSched.Stop()
}

type CompactionRequest struct {
	Revision int64
	Physical bool
}

// EtcdServer applies the requests to the store.
type EtcdServer struct {
	kv *store
}

// Compact is called by the RPC, on a goroutine of its own. If the request is a
// physical one, no superseded revision is left in the backend on return.
func (s *EtcdServer) Compact(r *CompactionRequest) error {
	physc, err := s.kv.Compact(r.Revision)
	if err != nil {
		return err
	}
	if r.Physical && physc != nil {
		<-physc
	}
	return nil
}
