// Package fix mirrors a remote journal.
package fix

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	errBusy     = errors.New("a cycle is running")
	errCanceled = errors.New("cycle was canceled")
)

// journal is the local copy.
type journal struct {
	mu    sync.RWMutex
	items map[uint64]string
	head  uint64
}

func (j *journal) put(n uint64, v string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.items[n] = v
	if n > j.head {
		j.head = n
	}
}

func (j *journal) truncate(n uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for k := range j.items {
		if k > n {
			delete(j.items, k)
		}
	}
	j.head = min(j.head, n)
}

// Head returns the last number of the copy.
func (j *journal) Head() uint64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.head
}

// Remote is read from.
type Remote interface {
	Range(from, n uint64) ([]string, error)
}

type fetcher struct {
	remote Remote
	jrnl   *journal
	cycle  atomic.Int32
	cursor atomic.Uint64
	rounds atomic.Uint64

	cancelLock sync.RWMutex
	cancelCh   chan struct{}
	cancelWg   sync.WaitGroup
}

// synchronise runs one cycle. started is closed as soon as the cycle can be
// canceled.
func (f *fetcher) synchronise(started chan struct{}) error {
	defer func() {
		select {
		case <-started:
		default:
			close(started)
		}
	}()
	if !f.cycle.CompareAndSwap(0, 1) {
		return errBusy
	}
	defer f.cycle.Store(0)
	f.rounds.Add(1)

	f.cancelLock.Lock()
	f.cancelCh = make(chan struct{})
	cancelCh := f.cancelCh
	f.cancelLock.Unlock()
	defer f.cancel()

	return f.toHead(cancelCh, started)
}

func (f *fetcher) toHead(cancelCh, started chan struct{}) error {
	f.cursor.Store(f.jrnl.Head() + 1)
	work := make([]func() error, 4)
	for i := range work {
		work[i] = func() error { return f.fetchRanges(cancelCh) }
	}
	return f.spawn(work, started)
}

func (f *fetcher) fetchRanges(cancelCh chan struct{}) error {
	for {
		from := f.cursor.Add(16) - 16
		items, err := f.remote.Range(from, 16)
		if err != nil {
			return err
		}
		for i, v := range items {
			f.jrnl.put(from+uint64(i), v)
		}
		if len(items) < 16 {
			return nil
		}
		select {
		case <-cancelCh:
			return errCanceled
		default:
		}
	}
}

// spawn runs the functions and returns the first error.
func (f *fetcher) spawn(work []func() error, started chan struct{}) error {
	errc := make(chan error, len(work))
	f.cancelWg.Add(len(work))

	// From here on a cancel waits for all of them.
	close(started)
	for _, fn := range work {
		go func() { defer f.cancelWg.Done(); errc <- fn() }()
	}
	var err error
	for range work {
		if e := <-errc; e != nil && err == nil {
			err = e
			f.abort()
		}
	}
	return err
}

func (f *fetcher) abort() {
	f.cancelLock.Lock()
	defer f.cancelLock.Unlock()
	if f.cancelCh != nil {
		select {
		case <-f.cancelCh:
		default:
			close(f.cancelCh)
		}
	}
}

// cancel ends the cycle and waits for its goroutines.
func (f *fetcher) cancel() {
	f.abort()
	f.cancelWg.Wait()
}

// Mirror follows the remote and obeys rewinds. It has one user, which calls
// Resume and Rewind in turn.
type Mirror struct {
	f    *fetcher
	jrnl *journal

	lock    sync.Mutex
	filling bool
	started chan struct{}
}

// New returns an idle mirror.
func New(r Remote) *Mirror {
	j := &journal{items: make(map[uint64]string)}
	return &Mirror{f: &fetcher{remote: r, jrnl: j}, jrnl: j}
}

// Resume starts a cycle in the background.
func (m *Mirror) Resume() {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.filling {
		return
	}
	m.filling = true
	m.started = make(chan struct{})
	go m.fill(m.started)
}

func (m *Mirror) fill(started chan struct{}) {
	m.f.synchronise(started)
	m.lock.Lock()
	m.filling = false
	m.lock.Unlock()
}

func (m *Mirror) suspend() {
	m.lock.Lock()
	filling, started := m.filling, m.started
	m.lock.Unlock()
	if !filling {
		return
	}
	<-started
	m.f.cancel()
}

// Rewind drops everything after n.
func (m *Mirror) Rewind(n uint64) uint64 {
	m.suspend()
	m.jrnl.truncate(n)
	return m.jrnl.Head()
}
