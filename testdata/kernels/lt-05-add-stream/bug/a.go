package server

import (
	"errors"
	"reflect"
	"sync"
)

var (
	errStreamNameExists = errors.New("stream name already in use")
	errSubjectOverlap   = errors.New("subjects overlap with an existing stream")
	errNoResources      = errors.New("insufficient storage resources")
	errStreamNotFound   = errors.New("stream not found")
)

type StreamConfig struct {
	Name     string
	Subjects []string
	Mirror   string
	MaxBytes int64
}

type stream struct {
	jsa *jsAccount
	cfg StreamConfig
	qch chan struct{}
}

func (mset *stream) internalLoop() { <-mset.qch }

type jetStream struct {
	maxStore int64
}

func (js *jetStream) checkLimits(cfg *StreamConfig) error {
	if cfg.MaxBytes > js.maxStore {
		return errNoResources
	}
	return nil
}

type jsAccount struct {
	js *jetStream

	mu      sync.RWMutex
	streams map[string]*stream
}

func newJSAccount(js *jetStream) *jsAccount {
	return &jsAccount{js: js, streams: make(map[string]*stream)}
}

// Lock should be held.
func (jsa *jsAccount) subjectsOverlap(subjects []string) bool {
	for _, mset := range jsa.streams {
		for _, s := range mset.cfg.Subjects {
			for _, n := range subjects {
				if s == n {
					return true
				}
			}
		}
	}
	return false
}

func (jsa *jsAccount) addStream(cfg StreamConfig) (*stream, error) {
	return jsa.addStreamWithAssignment(cfg)
}

func (jsa *jsAccount) addStreamWithAssignment(cfg StreamConfig) (*stream, error) {
	jsa.mu.RLock()
	if mset, ok := jsa.streams[cfg.Name]; ok {
		jsa.mu.RUnlock()
		if reflect.DeepEqual(mset.cfg, cfg) {
			return mset, nil
		}
		return nil, errStreamNameExists
	}
	jsa.mu.RUnlock()

	if err := jsa.js.checkLimits(&cfg); err != nil {
		return nil, err
	}

	jsa.mu.Lock()
	defer jsa.mu.Unlock()
	if jsa.subjectsOverlap(cfg.Subjects) {
		return nil, errSubjectOverlap
	}
	mset := &stream{jsa: jsa, cfg: cfg, qch: make(chan struct{})}
	go mset.internalLoop()
	jsa.streams[cfg.Name] = mset
	return mset, nil
}

func (jsa *jsAccount) lookupStream(name string) (*stream, error) {
	jsa.mu.RLock()
	defer jsa.mu.RUnlock()
	mset, ok := jsa.streams[name]
	if !ok {
		return nil, errStreamNotFound
	}
	return mset, nil
}

func (mset *stream) stop() {
	jsa := mset.jsa
	jsa.mu.Lock()
	if jsa.streams[mset.cfg.Name] != mset {
		jsa.mu.Unlock()
		return
	}
	delete(jsa.streams, mset.cfg.Name)
	jsa.mu.Unlock()
	close(mset.qch)
}

// processCreate handles create requests; every request runs on its own.
func (jsa *jsAccount) processCreate(reqs <-chan StreamConfig, errs chan<- error) {
	for cfg := range reqs {
		go func() {
			_, err := jsa.addStream(cfg)
			errs <- err
		}()
	}
}
