// Package bug pauses block production while the node synchronises.
package bug

import (
	"sync"
	"sync/atomic"
	"time"
)

// Event is sent by the downloader.
type Event int

const (
	SyncStarted Event = iota
	SyncDone
	SyncFailed
)

// worker produces blocks while it runs.
type worker struct {
	running atomic.Bool
	startCh chan struct{}
	exitCh  chan struct{}

	mu       sync.RWMutex
	coinbase string
}

func newWorker(produce func(coinbase string)) *worker {
	w := &worker{startCh: make(chan struct{}, 1), exitCh: make(chan struct{})}
	go w.loop(produce)
	return w
}

func (w *worker) loop(produce func(coinbase string)) {
	t := time.NewTicker(3 * time.Second)
	defer t.Stop()
	for {
		select {
		case <-w.startCh:
		case <-t.C:
		case <-w.exitCh:
			return
		}
		if w.running.Load() {
			w.mu.RLock()
			coinbase := w.coinbase
			w.mu.RUnlock()
			produce(coinbase)
		}
	}
}

func (w *worker) setCoinbase(addr string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.coinbase = addr
}

func (w *worker) start() {
	w.running.Store(true)
	select {
	case w.startCh <- struct{}{}:
	default:
	}
}

func (w *worker) stop() { w.running.Store(false) }

// Miner starts and stops the worker.
type Miner struct {
	worker *worker
	events <-chan Event
	exitCh chan struct{}

	canStart    atomic.Bool // no synchronisation is under way
	shouldStart atomic.Bool // start when the synchronisation has ended

	mu       sync.Mutex
	coinbase string
}

// New returns a stopped miner.
func New(events <-chan Event, produce func(coinbase string)) *Miner {
	m := &Miner{worker: newWorker(produce), events: events, exitCh: make(chan struct{})}
	m.canStart.Store(true)
	go m.update()
	return m
}

// update follows the first synchronisation.
func (m *Miner) update() {
	for {
		select {
		case ev := <-m.events:
			switch ev {
			case SyncStarted:
				m.canStart.Store(false)
				if m.Mining() {
					m.Stop()
					m.shouldStart.Store(true)
				}
			case SyncDone, SyncFailed:
				shouldStart := m.shouldStart.Load()
				m.canStart.Store(true)
				m.shouldStart.Store(false)
				if shouldStart {
					m.Start(m.Coinbase())
				}
				return
			}
		case <-m.exitCh:
			return
		}
	}
}

// Start makes the miner produce blocks, at once or after synchronisation.
func (m *Miner) Start(coinbase string) {
	m.shouldStart.Store(true)
	m.setCoinbase(coinbase)
	if !m.canStart.Load() {
		return
	}
	m.worker.start()
}

// Stop makes the miner stop.
func (m *Miner) Stop() {
	m.worker.stop()
	m.shouldStart.Store(false)
}

// Mining reports whether blocks are produced.
func (m *Miner) Mining() bool { return m.worker.running.Load() }

// Coinbase returns the account that is paid.
func (m *Miner) Coinbase() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.coinbase
}

func (m *Miner) setCoinbase(addr string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.coinbase = addr
	m.worker.setCoinbase(addr)
}

// Close ends the miner. It must be called once.
func (m *Miner) Close() {
	close(m.exitCh)
	close(m.worker.exitCh)
}
