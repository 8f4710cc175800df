// Package bug keeps the set of synchronized folders.
package bug

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/st-02-getignores/bug/exclude"
)

const (
	sentinel  = ".mounted"
	rulesFile = ".exclude"
)

// Config describes one folder.
type Config struct {
	ID      string
	Path    string
	Devices []string
}

func (c Config) available() bool {
	_, err := os.Lstat(filepath.Join(c.Path, sentinel))
	return err == nil
}

// Library holds the state of all folders.
type Library struct {
	// offered holds the folders that peers may share with us. It does not
	// change.
	offered map[string]Config

	mu      sync.RWMutex
	configs map[string]Config
	rules   map[string]*exclude.Rules
}

// NewLibrary returns a library without folders.
func NewLibrary(offered map[string]Config) *Library {
	return &Library{
		offered: offered,
		configs: make(map[string]Config),
		rules:   make(map[string]*exclude.Rules),
	}
}

// Open starts to synchronize a folder.
func (l *Library) Open(cfg Config) {
	l.mu.Lock()
	defer l.mu.Unlock()

	l.configs[cfg.ID] = cfg
	set := new(exclude.Rules)
	if err := set.Load(filepath.Join(cfg.Path, rulesFile)); err != nil {
		log.Printf("folder %s: loading rules: %v", cfg.ID, err)
	}
	l.rules[cfg.ID] = set
}

// Close forgets a folder.
func (l *Library) Close(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.configs, id)
	delete(l.rules, id)
}

// SharedWith lists the folders shared with a device.
func (l *Library) SharedWith(device string) []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var ids []string
	for id, cfg := range l.configs {
		if slices.Contains(cfg.Devices, device) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Excluded reports whether a file is excluded from its folder.
func (l *Library) Excluded(folder, name string) bool {
	l.mu.RLock()
	set, ok := l.rules[folder]
	l.mu.RUnlock()
	return ok && set.Match(name)
}

// Exclusions returns the exclusion file of a folder, as written and as
// patterns.
func (l *Library) Exclusions(folder string) (lines, patterns []string, err error) {
	l.mu.RLock()
	cfg, ok := l.configs[folder]
	l.mu.RUnlock()
	if ok {
		if !cfg.available() {
			return nil, nil, fmt.Errorf("folder %s is not mounted", folder)
		}

		l.mu.RLock()
		set := l.rules[folder]
		l.mu.RUnlock()

		lines, patterns = set.Contents()
		return lines, patterns, nil
	}

	if cfg, ok := l.offered[folder]; ok {
		set := new(exclude.Rules)
		if err := set.Load(filepath.Join(cfg.Path, rulesFile)); err != nil {
			return nil, nil, err
		}
		lines, patterns = set.Contents()
		return lines, patterns, nil
	}

	return nil, nil, fmt.Errorf("unknown folder %s", folder)
}
