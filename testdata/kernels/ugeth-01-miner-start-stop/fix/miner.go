// Package fix pauses block production while the node synchronises.
package fix

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

	startStopMu sync.Mutex
	canStart    bool // no synchronisation is under way
	shouldStart bool // start when the synchronisation has ended

	mu       sync.Mutex
	coinbase string
}

// New returns a stopped miner.
func New(events <-chan Event, produce func(coinbase string)) *Miner {
	m := &Miner{worker: newWorker(produce), events: events, exitCh: make(chan struct{}), canStart: true}
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
				m.startStopMu.Lock()
				m.canStart = false
				if m.Mining() {
					m.worker.stop()
				}
				m.startStopMu.Unlock()
			case SyncDone, SyncFailed:
				m.startStopMu.Lock()
				m.canStart = true
				if m.shouldStart {
					m.worker.start()
				}
				m.startStopMu.Unlock()
				return
			}
		case <-m.exitCh:
			return
		}
	}
}

// Start makes the miner produce blocks, at once or after synchronisation.
func (m *Miner) Start(coinbase string) {
	m.startStopMu.Lock()
	defer m.startStopMu.Unlock()
	m.shouldStart = true
	m.setCoinbase(coinbase)
	if !m.canStart {
		return
	}
	m.worker.start()
}

// Stop makes the miner stop.
func (m *Miner) Stop() {
	m.startStopMu.Lock()
	defer m.startStopMu.Unlock()
	m.shouldStart = false
	m.worker.stop()
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
