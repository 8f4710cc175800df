package model

import "sync"

// FolderConfiguration describes a shared folder.
type FolderConfiguration struct {
	ID      string
	Path    string
	Paused  bool
	Devices string // comma separated
}

// Configuration is not changed after it was published.
type Configuration struct {
	Folders map[string]FolderConfiguration
}

// Wrapper has the current configuration.
type Wrapper struct {
	mut sync.Mutex
	cfg Configuration
	sub *Model
}

// NewWrapper returns a wrapper that tells the model about changes.
func NewWrapper(cfg Configuration, sub *Model) *Wrapper {
	return &Wrapper{cfg: cfg, sub: sub}
}

// Replace swaps the current configuration. The model is told in the
// background, the wait group is done when it has finished.
func (w *Wrapper) Replace(to Configuration) *sync.WaitGroup {
	w.mut.Lock()
	defer w.mut.Unlock()
	from := w.cfg
	w.cfg = to
	wg := new(sync.WaitGroup)
	wg.Add(1)
	go func() {
		defer wg.Done()
		w.sub.CommitConfiguration(from, to)
	}()
	return wg
}

// API is the REST interface.
type API struct {
	systemConfigMut sync.Mutex // serializes posts to /rest/system/config
	cfg             *Wrapper
}

// NewAPI returns the interface to a configuration.
func NewAPI(cfg *Wrapper) *API { return &API{cfg: cfg} }

// PostSystemConfig handles a new configuration from the GUI. It waits for the
// configuration to become active before completing the request.
func (s *API) PostSystemConfig(to Configuration) {
	s.systemConfigMut.Lock()
	defer s.systemConfigMut.Unlock()
	s.cfg.Replace(to).Wait()
}
