// Package model keeps the folders that are shared.
package model

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

var errFolderPaused = errors.New("folder is paused")

// FolderConfiguration describes one folder.
type FolderConfiguration struct {
	ID      string
	Root    string
	Devices []string
	Paused  bool
}

func (f FolderConfiguration) Path() string { return f.Root }

// HasMarker reports whether the marker that guards against unmounted disks exists.
func (f FolderConfiguration) HasMarker() bool {
	_, err := os.Stat(filepath.Join(f.Root, ".stfolder"))
	return err == nil
}

// Matcher holds the ignore patterns of a folder.
type Matcher struct {
	mut      sync.Mutex
	lines    []string
	patterns []string
}

// Load reads the patterns from a file.
func (m *Matcher) Load(path string) error {
	fd, err := os.Open(path)
	if err != nil {
		return err
	}
	defer fd.Close()
	var lines, patterns []string
	sc := bufio.NewScanner(fd)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		lines = append(lines, line)
		if line != "" && !strings.HasPrefix(line, "//") {
			patterns = append(patterns, line)
		}
	}
	m.mut.Lock()
	m.lines, m.patterns = lines, patterns
	m.mut.Unlock()
	return sc.Err()
}

func (m *Matcher) Lines() []string {
	m.mut.Lock()
	defer m.mut.Unlock()
	return m.lines
}

func (m *Matcher) Patterns() []string {
	m.mut.Lock()
	defer m.mut.Unlock()
	return m.patterns
}

type folderRunner interface {
	Serve()
	Stop()
	Scan(subs []string) error
}

// Wrapper is the saved configuration.
type Wrapper struct {
	mut     sync.Mutex
	folders map[string]FolderConfiguration
}

func (w *Wrapper) Folders() map[string]FolderConfiguration {
	w.mut.Lock()
	defer w.mut.Unlock()
	res := make(map[string]FolderConfiguration, len(w.folders))
	for id, f := range w.folders {
		res[id] = f
	}
	return res
}

type Model struct {
	cfg       *Wrapper
	newRunner func(FolderConfiguration) folderRunner

	fmut          sync.RWMutex // protects the below
	folderCfgs    map[string]FolderConfiguration
	folderIgnores map[string]*Matcher
	folderRunners map[string]folderRunner
	deviceFolders map[string][]string
}

func NewModel(cfg *Wrapper, newRunner func(FolderConfiguration) folderRunner) *Model {
	return &Model{
		cfg:           cfg,
		newRunner:     newRunner,
		folderCfgs:    make(map[string]FolderConfiguration),
		folderIgnores: make(map[string]*Matcher),
		folderRunners: make(map[string]folderRunner),
		deviceFolders: make(map[string][]string),
	}
}

func (m *Model) AddFolder(cfg FolderConfiguration) error {
	if cfg.ID == "" {
		panic("cannot add empty folder id")
	}
	m.fmut.Lock()
	defer m.fmut.Unlock()
	if cfg.Paused {
		return errFolderPaused
	}
	m.addFolderLocked(cfg)
	return nil
}

func (m *Model) addFolderLocked(cfg FolderConfiguration) {
	m.folderCfgs[cfg.ID] = cfg
	for _, device := range cfg.Devices {
		m.deviceFolders[device] = append(m.deviceFolders[device], cfg.ID)
	}
	ignores := &Matcher{}
	if err := ignores.Load(filepath.Join(cfg.Path(), ".stignore")); err != nil && !os.IsNotExist(err) {
		fmt.Fprintln(os.Stderr, "Loading ignores:", err)
	}
	m.folderIgnores[cfg.ID] = ignores
	runner := m.newRunner(cfg)
	m.folderRunners[cfg.ID] = runner
	go runner.Serve()
}

func (m *Model) RemoveFolder(folder string) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	cfg, ok := m.folderCfgs[folder]
	if !ok {
		return
	}
	os.Remove(filepath.Join(cfg.Path(), ".stfolder"))
	m.tearDownFolderLocked(folder)
}

func (m *Model) tearDownFolderLocked(folder string) {
	if runner, ok := m.folderRunners[folder]; ok {
		runner.Stop()
	}
	delete(m.folderCfgs, folder)
	delete(m.folderIgnores, folder)
	delete(m.folderRunners, folder)
	for dev, folders := range m.deviceFolders {
		var keep []string
		for _, f := range folders {
			if f != folder {
				keep = append(keep, f)
			}
		}
		m.deviceFolders[dev] = keep
	}
}

// RestartFolder takes over a changed configuration.
func (m *Model) RestartFolder(cfg FolderConfiguration) {
	m.fmut.Lock()
	defer m.fmut.Unlock()
	m.tearDownFolderLocked(cfg.ID)
	if !cfg.Paused {
		m.addFolderLocked(cfg)
	}
}

// GetIgnores returns the lines and the patterns of the ignore file of a folder.
func (m *Model) GetIgnores(folder string) ([]string, []string, error) {
	m.fmut.RLock()
	defer m.fmut.RUnlock()

	cfg, ok := m.folderCfgs[folder]
	if ok {
		if !cfg.HasMarker() {
			return nil, nil, fmt.Errorf("Folder %s stopped", folder)
		}

		ignores := m.folderIgnores[folder]

		return ignores.Lines(), ignores.Patterns(), nil
	}

	if cfg, ok := m.cfg.Folders()[folder]; ok {
		matcher := &Matcher{}
		path := filepath.Join(cfg.Path(), ".stignore")
		if err := matcher.Load(path); err != nil {
			return nil, nil, err
		}
		return matcher.Lines(), matcher.Patterns(), nil
	}
	return nil, nil, fmt.Errorf("Folder %s does not exist", folder)
}

// CommitConfiguration applies the folders of a new configuration.
func (m *Model) CommitConfiguration(from, to map[string]FolderConfiguration) {
	for id, cfg := range to {
		if _, ok := from[id]; ok {
			m.RestartFolder(cfg)
		} else if err := m.AddFolder(cfg); err != nil {
			fmt.Fprintln(os.Stderr, "Adding folder:", id, err)
		}
	}
	for id := range from {
		if _, ok := to[id]; !ok {
			m.RemoveFolder(id)
		}
	}
}
