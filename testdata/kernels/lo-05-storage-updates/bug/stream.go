package server

import (
	"errors"
	"sync"
)

var errStreamNotFound = errors.New("stream not found")

// StorageUpdateHandler is called for every change of the size of a store.
type StorageUpdateHandler func(msgs, bytes int64)

// memStore keeps the messages of a stream.
type memStore struct {
	mu    sync.Mutex
	msgs  [][]byte
	bytes int64
	scb   StorageUpdateHandler
}

func newMemStore() *memStore {
	return &memStore{}
}

// RegisterStorageUpdates registers the callback.
func (ms *memStore) RegisterStorageUpdates(cb StorageUpdateHandler) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.scb = cb
}

// StoreMsg appends a message.
func (ms *memStore) StoreMsg(msg []byte) uint64 {
	ms.mu.Lock()
	ms.msgs = append(ms.msgs, msg)
	ms.bytes += int64(len(msg))
	seq, cb := uint64(len(ms.msgs)), ms.scb
	ms.mu.Unlock()

	if cb != nil {
		cb(1, int64(len(msg)))
	}
	return seq
}

// Purge removes all messages.
func (ms *memStore) Purge() {
	ms.mu.Lock()
	n, bytes, cb := int64(len(ms.msgs)), ms.bytes, ms.scb
	ms.msgs, ms.bytes = nil, 0
	ms.mu.Unlock()

	if cb != nil && n > 0 {
		cb(-n, -bytes)
	}
}

// jsAccount accounts the storage of all streams of an account.
type jsAccount struct {
	mu      sync.RWMutex
	streams map[string]*stream

	usageMu sync.Mutex
	usage   int64
}

func newJSAccount() *jsAccount {
	return &jsAccount{streams: make(map[string]*stream)}
}

func (jsa *jsAccount) updateUsage(delta int64) {
	jsa.usageMu.Lock()
	jsa.usage += delta
	jsa.usageMu.Unlock()
}

// Usage returns the number of bytes of all streams.
func (jsa *jsAccount) Usage() int64 {
	jsa.usageMu.Lock()
	defer jsa.usageMu.Unlock()
	return jsa.usage
}

func (jsa *jsAccount) lookupStream(name string) (*stream, error) {
	jsa.mu.RLock()
	defer jsa.mu.RUnlock()
	if mset := jsa.streams[name]; mset != nil {
		return mset, nil
	}
	return nil, errStreamNotFound
}

// addStream registers the stream; its messages arrive from then on.
func (jsa *jsAccount) addStream(name string) *stream {
	jsa.mu.Lock()
	if mset := jsa.streams[name]; mset != nil {
		jsa.mu.Unlock()
		return mset
	}
	mset := &stream{jsa: jsa}
	jsa.streams[name] = mset
	jsa.mu.Unlock()

	mset.setupStore()
	return mset
}

type stream struct {
	jsa *jsAccount

	mu    sync.RWMutex
	store *memStore
}

func (mset *stream) setupStore() {
	mset.mu.Lock()
	mset.store = newMemStore()
	mset.mu.Unlock()

	mset.store.RegisterStorageUpdates(mset.storeUpdates)
}

// Called for any updates to the underlying stream. We pass through the bytes to the
// jetstream account.
func (mset *stream) storeUpdates(md, bd int64) {
	mset.jsa.updateUsage(bd)
}

// processJetStreamMsg is called by the read loops of the connections.
// A stream that has no store yet does not acknowledge (sequence 0), and the
// publisher sends the message again.
func (mset *stream) processJetStreamMsg(msg []byte) uint64 {
	mset.mu.Lock()
	store := mset.store
	mset.mu.Unlock()
	if store == nil {
		return 0
	}
	return store.StoreMsg(msg)
}

// purge removes all messages.
func (mset *stream) purge() {
	mset.mu.RLock()
	store := mset.store
	mset.mu.RUnlock()
	if store != nil {
		store.Purge()
	}
}

// serve handles the API requests and the messages of one client.
func (jsa *jsAccount) serve(creates <-chan string, msgs <-chan [2]string, purges <-chan string) {
	go func() {
		for name := range creates {
			jsa.addStream(name)
		}
	}()
	go func() {
		for name := range purges {
			if mset, err := jsa.lookupStream(name); err == nil {
				mset.purge()
			}
		}
	}()
	for m := range msgs {
		if mset, err := jsa.lookupStream(m[0]); err == nil {
			mset.processJetStreamMsg([]byte(m[1]))
		}
	}
}
