package model

import (
	"context"
	"sync"
	"time"
)

type DeviceID string

type FileDownloadProgressUpdate struct {
	Name   string
	Blocks int
	Forget bool
}

type Connection interface {
	ID() DeviceID
	DownloadProgress(ctx context.Context, folder string, updates []FileDownloadProgressUpdate)
}

type sharedPullerState struct {
	folder  string
	name    string
	mut     sync.RWMutex
	blocks  int
	updated time.Time
}

func (s *sharedPullerState) copiedBlock() {
	s.mut.Lock()
	defer s.mut.Unlock()
	s.blocks++
	s.updated = time.Now()
}

// progress returns the number of blocks and the time of the last of them.
func (s *sharedPullerState) progress() (int, time.Time) {
	s.mut.RLock()
	defer s.mut.RUnlock()
	return s.blocks, s.updated
}

type ProgressEmitter struct {
	registry           map[string]map[string]*sharedPullerState // folder: name: puller
	sentDownloadStates map[DeviceID]map[string]map[string]int   // What we've sent to the other peer via DownloadProgress messages.
	connections        map[DeviceID]Connection
	foldersByConns     map[DeviceID][]string
	mut                sync.Mutex

	interval time.Duration
	timer    *time.Timer
}

type progressUpdate struct {
	conn    Connection
	folder  string
	updates []FileDownloadProgressUpdate
}

func (p progressUpdate) send(ctx context.Context) {
	p.conn.DownloadProgress(ctx, p.folder, p.updates)
}

// NewProgressEmitter creates a new progress emitter which emits
// DownloadProgress events every interval.
func NewProgressEmitter(interval time.Duration) *ProgressEmitter {
	return &ProgressEmitter{
		registry:           make(map[string]map[string]*sharedPullerState),
		sentDownloadStates: make(map[DeviceID]map[string]map[string]int),
		connections:        make(map[DeviceID]Connection),
		foldersByConns:     make(map[DeviceID][]string),
		interval:           interval,
		timer:              time.NewTimer(time.Millisecond),
	}
}

// serve starts the progress emitter which starts emitting DownloadProgress
// events as the progress happens. It is called once.
func (t *ProgressEmitter) serve(ctx context.Context) {
	var lastUpdate time.Time
	var lastCount, newCount int
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.timer.C:
			t.mut.Lock()

			newLastUpdated := lastUpdate
			newCount = t.lenRegistryLocked()
			var progressUpdates []progressUpdate
			for _, pullers := range t.registry {
				for _, puller := range pullers {
					if _, updated := puller.progress(); updated.After(newLastUpdated) {
						newLastUpdated = updated
					}
				}
			}

			if !newLastUpdated.Equal(lastUpdate) || newCount != lastCount {
				lastUpdate = newLastUpdated
				lastCount = newCount
				progressUpdates = t.computeProgressUpdates()
			}

			if newCount != 0 {
				t.timer.Reset(t.interval)
			}
			t.mut.Unlock()

			// Do the sending outside of the lock.
			// If these send block, the whole process of reporting progress to others stops, but that's probably fine.
			// It's better to stop this component from working under back-pressure than causing other components that
			// rely on this component to be waiting for locks.
			for _, update := range progressUpdates {
				update.send(ctx)
			}
		}
	}
}

func (t *ProgressEmitter) computeProgressUpdates() []progressUpdate {
	var progressUpdates []progressUpdate
	for id, conn := range t.connections {
		state, ok := t.sentDownloadStates[id]
		if !ok {
			state = make(map[string]map[string]int)
			t.sentDownloadStates[id] = state
		}
		for _, folder := range t.foldersByConns[id] {
			sent := state[folder]
			if sent == nil {
				sent = make(map[string]int)
				state[folder] = sent
			}
			var updates []FileDownloadProgressUpdate
			for name, puller := range t.registry[folder] {
				if n, _ := puller.progress(); n != sent[name] {
					sent[name] = n
					updates = append(updates, FileDownloadProgressUpdate{Name: name, Blocks: n})
				}
			}
			for name := range sent {
				if _, ok := t.registry[folder][name]; !ok {
					delete(sent, name)
					updates = append(updates, FileDownloadProgressUpdate{Name: name, Forget: true})
				}
			}
			if len(updates) > 0 {
				progressUpdates = append(progressUpdates, progressUpdate{conn, folder, updates})
			}
		}
	}
	return progressUpdates
}

// Register a puller with the emitter which will start broadcasting pullers
// progress.
func (t *ProgressEmitter) Register(s *sharedPullerState) {
	t.mut.Lock()
	defer t.mut.Unlock()
	if t.lenRegistryLocked() == 0 {
		t.timer.Reset(t.interval)
	}
	if _, ok := t.registry[s.folder]; !ok {
		t.registry[s.folder] = make(map[string]*sharedPullerState)
	}
	t.registry[s.folder][s.name] = s
}

// Deregister a puller which will stop broadcasting pullers state.
func (t *ProgressEmitter) Deregister(s *sharedPullerState) {
	t.mut.Lock()
	defer t.mut.Unlock()
	delete(t.registry[s.folder], s.name)
}

func (t *ProgressEmitter) lenRegistryLocked() (out int) {
	for _, pullers := range t.registry {
		out += len(pullers)
	}
	return out
}

func (t *ProgressEmitter) temporaryIndexSubscribe(conn Connection, folders []string) {
	t.mut.Lock()
	defer t.mut.Unlock()
	t.connections[conn.ID()] = conn
	t.foldersByConns[conn.ID()] = folders
	delete(t.sentDownloadStates, conn.ID())
}

func (t *ProgressEmitter) temporaryIndexUnsubscribe(id DeviceID) {
	t.mut.Lock()
	defer t.mut.Unlock()
	delete(t.connections, id)
	delete(t.foldersByConns, id)
	delete(t.sentDownloadStates, id)
}
