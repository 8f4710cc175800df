package fix

import (
	"encoding/json"
	"sync"
	"time"
)

type StreamConfig struct {
	Name     string
	Subjects []string
}

// FileStreamInfo is what the meta file of a store contains.
type FileStreamInfo struct {
	Created time.Time
	StreamConfig
}

type StreamStore interface {
	StoreMsg(subj string, msg []byte) (uint64, error)
	Stop() error
}

type memStore struct {
	mu   sync.RWMutex
	msgs [][]byte
}

func (ms *memStore) StoreMsg(subj string, msg []byte) (uint64, error) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.msgs = append(ms.msgs, msg)
	return uint64(len(ms.msgs)), nil
}

func (ms *memStore) Stop() error { return nil }

type fileStore struct {
	mu   sync.RWMutex
	cfg  FileStreamInfo
	meta []byte
	seq  uint64
}

func (fs *fileStore) StoreMsg(subj string, msg []byte) (uint64, error) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.seq++
	return fs.seq, nil
}

func (fs *fileStore) Stop() error { return nil }

// Write out meta. Lock should be held.
func (fs *fileStore) writeStreamMeta() error {
	b, err := json.Marshal(fs.cfg)
	if err != nil {
		return err
	}
	fs.meta = b
	return nil
}

func (fs *fileStore) setCreatedTime(created time.Time) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.cfg.Created = created
	_ = fs.writeStreamMeta()
}

type stream struct {
	mu      sync.RWMutex
	cfg     StreamConfig
	created time.Time
	store   StreamStore
}

func newStream(cfg StreamConfig, file bool) *stream {
	mset := &stream{cfg: cfg, created: time.Now()}
	if file {
		mset.store = &fileStore{cfg: FileStreamInfo{Created: mset.created, StreamConfig: cfg}}
	} else {
		mset.store = &memStore{}
	}
	return mset
}

// Created returns created time.
func (mset *stream) createdTime() time.Time {
	mset.mu.RLock()
	created := mset.created
	mset.mu.RUnlock()
	return created
}

// Internal to allow creation time to be restored.
func (mset *stream) setCreatedTime(created time.Time) {
	mset.mu.Lock()
	mset.created = created
	store := mset.store
	if fs, ok := store.(*fileStore); ok {
		fs.setCreatedTime(created)
	}
	mset.mu.Unlock()
}

type streamAssignment struct {
	Created time.Time
	Config  StreamConfig
}

type jetStream struct {
	mu      sync.RWMutex
	streams map[string]*stream
}

func (js *jetStream) lookupStream(name string) *stream {
	js.mu.RLock()
	defer js.mu.RUnlock()
	return js.streams[name]
}

// processClusterCreateStream is run in the goroutine of the meta group.
func (js *jetStream) processClusterCreateStream(sa *streamAssignment) {
	js.mu.Lock()
	mset := js.streams[sa.Config.Name]
	if mset == nil {
		mset = newStream(sa.Config, true)
		js.streams[sa.Config.Name] = mset
	}
	js.mu.Unlock()
	mset.setCreatedTime(sa.Created)
}

// RestoreStream is run for a restore request of a client.
func (js *jetStream) RestoreStream(info FileStreamInfo) {
	if mset := js.lookupStream(info.Name); mset != nil {
		mset.setCreatedTime(info.Created)
	}
}
