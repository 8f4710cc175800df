package server

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"time"
)

const streamsDir = "streams"

var (
	errStreamNameExist    = errors.New("stream name already in use")
	errStreamNotFound     = errors.New("stream not found")
	errStreamSubjOverlap  = errors.New("subjects overlap with an existing stream")
	errJetStreamDisabled  = errors.New("jetstream not enabled for account")
	errStreamNameRequired = errors.New("stream name is required")
)

// StreamConfig will determine the name, subjects and retention policy
// for a given stream.
type StreamConfig struct {
	Name     string
	Subjects []string
	MaxBytes int64
	Replicas int
}

type streamAssignment struct {
	Config    *StreamConfig
	Created   time.Time
	responded bool
}

// Stream is a jetstream stream of messages. When we receive a message internally destined
// for a Stream we will direct link from the client to this structure.
type stream struct {
	mu      sync.RWMutex
	acc     *Account
	jsa     *jsAccount
	cfg     StreamConfig
	created time.Time
	store   *fileStore
	lseq    uint64
	sa      *streamAssignment
	closed  bool
}

// This represents a jetstream enabled account.
type jsAccount struct {
	mu       sync.RWMutex
	account  *Account
	storeDir string
	inflight sync.Map
	streams  map[string]*stream
}

type Account struct {
	mu   sync.RWMutex
	Name string
	js   *jsAccount
}

func newAccount(name, storeDir string) *Account {
	a := &Account{Name: name}
	a.js = &jsAccount{account: a, storeDir: storeDir, streams: make(map[string]*stream)}
	return a
}

func (a *Account) checkForJetStream() (*jsAccount, error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.js == nil {
		return nil, errJetStreamDisabled
	}
	return a.js, nil
}

func checkStreamCfg(config *StreamConfig) (StreamConfig, error) {
	if config == nil || config.Name == "" {
		return StreamConfig{}, errStreamNameRequired
	}
	cfg := *config
	if len(cfg.Subjects) == 0 {
		cfg.Subjects = []string{cfg.Name}
	}
	if cfg.Replicas == 0 {
		cfg.Replicas = 1
	}
	return cfg, nil
}

// addStream adds a stream for the given account.
func (a *Account) addStream(config *StreamConfig) (*stream, error) {
	return a.addStreamWithAssignment(config, nil)
}

func (a *Account) addStreamWithAssignment(config *StreamConfig, sa *streamAssignment) (*stream, error) {
	jsa, err := a.checkForJetStream()
	if err != nil {
		return nil, err
	}

	// Sensible defaults.
	cfg, err := checkStreamCfg(config)
	if err != nil {
		return nil, err
	}

	// Make sure we are ok when these are done in parallel.
	// We used to call Add(1) in the "else" clause of the "if loaded"
	// statement. This caused a data race because it was possible
	// that one go routine stores (with count==0) and another routine
	// gets "loaded==true" and calls wg.Wait() while the other routine
	// then calls wg.Add(1). It also could mean that two routines execute
	// the rest of the code concurrently.
	swg := &sync.WaitGroup{}
	swg.Add(1)
	v, loaded := jsa.inflight.LoadOrStore(cfg.Name, swg)
	wg := v.(*sync.WaitGroup)
	if loaded {
		wg.Wait()
		// This waitgroup is "thrown away" (since there was an existing one).
		swg.Done()
		return jsa.existingStream(&cfg, sa)
	}
	defer func() {
		jsa.inflight.Delete(cfg.Name)
		wg.Done()
	}()

	if mset, err := jsa.existingStream(&cfg, sa); err != errStreamNotFound {
		return mset, err
	}

	mset := &stream{
		acc:     a,
		jsa:     jsa,
		cfg:     cfg,
		created: time.Now().UTC(),
	}

	// Create the appropriate storage
	if err := mset.setupStore(filepath.Join(jsa.storeDir, streamsDir, cfg.Name)); err != nil {
		mset.stop()
		return nil, fmt.Errorf("stream store failed: %w", err)
	}

	// Set our stream assignment if in clustered mode.
	if sa != nil {
		mset.setStreamAssignment(sa)
	}

	// Register with our account last.
	jsa.mu.Lock()
	// Check for overlapping subjects with other streams.
	// These are not allowed for now.
	if jsa.subjectsOverlap(cfg.Subjects) {
		jsa.mu.Unlock()
		mset.stop()
		return nil, errStreamSubjOverlap
	}
	jsa.streams[cfg.Name] = mset
	jsa.mu.Unlock()

	return mset, nil
}

// existingStream returns the stream of that name if it has the same config.
func (jsa *jsAccount) existingStream(cfg *StreamConfig, sa *streamAssignment) (*stream, error) {
	jsa.mu.RLock()
	mset, ok := jsa.streams[cfg.Name]
	jsa.mu.RUnlock()
	if !ok {
		return nil, errStreamNotFound
	}
	// Check to see if configs are same.
	if ocfg := mset.config(); !reflect.DeepEqual(ocfg, *cfg) {
		return nil, errStreamNameExist
	}
	if sa != nil {
		mset.setStreamAssignment(sa)
	}
	return mset, nil
}

// Lock should be held.
func (jsa *jsAccount) subjectsOverlap(subjects []string) bool {
	for _, mset := range jsa.streams {
		for _, subj := range mset.config().Subjects {
			for _, tsubj := range subjects {
				if subj == tsubj {
					return true
				}
			}
		}
	}
	return false
}

func (a *Account) lookupStream(name string) (*stream, error) {
	jsa, err := a.checkForJetStream()
	if err != nil {
		return nil, err
	}
	jsa.mu.RLock()
	defer jsa.mu.RUnlock()
	mset, ok := jsa.streams[name]
	if !ok {
		return nil, errStreamNotFound
	}
	return mset, nil
}

func (mset *stream) config() StreamConfig {
	mset.mu.RLock()
	defer mset.mu.RUnlock()
	return mset.cfg
}

func (mset *stream) setStreamAssignment(sa *streamAssignment) {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.sa = sa
}

func (mset *stream) setupStore(dir string) error {
	fs, err := newFileStore(dir)
	if err != nil {
		return err
	}
	mset.mu.Lock()
	defer mset.mu.Unlock()
	mset.store = fs
	mset.lseq = fs.lastSeq()
	return nil
}

func (mset *stream) stop() {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if mset.closed {
		return
	}
	mset.closed = true
	if mset.store != nil {
		mset.store.stop()
	}
}
