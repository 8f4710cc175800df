// Package model keeps folders in sync.
package model

import (
	"context"
	"errors"
	"sync"
)

var (
	errFolderMissing    = errors.New("no such folder")
	errFolderNotRunning = errors.New("folder is not running")
)

// FolderConfiguration is the configuration of a folder.
type FolderConfiguration struct {
	ID, Path string
	Paused   bool
}

type service interface {
	Scan(subs []string) error
	Serve()
	Stop()

	setState(state folderState)
	setError(err error)
}

// Model runs a service for each folder that is not paused.
type Model struct {
	scan func(ctx context.Context, cfg FolderConfiguration, subdirs []string) error

	restartMut sync.Mutex // serializes changes of folders

	fmut          sync.RWMutex // protects the below
	folderCfgs    map[string]FolderConfiguration
	folderRunners map[string]service
}

// NewModel returns a model without folders.
func NewModel(scan func(context.Context, FolderConfiguration, []string) error) *Model {
	return &Model{
		scan:          scan,
		folderCfgs:    make(map[string]FolderConfiguration),
		folderRunners: make(map[string]service),
	}
}

// AddFolder adds and starts a folder.
func (m *Model) AddFolder(cfg FolderConfiguration) {
	m.restartMut.Lock()
	defer m.restartMut.Unlock()
	m.fmut.Lock()
	defer m.fmut.Unlock()
	if !cfg.Paused {
		m.startFolderLocked(cfg)
	}
}

// Need to hold lock on m.fmut when calling this.
func (m *Model) startFolderLocked(cfg FolderConfiguration) {
	m.folderCfgs[cfg.ID] = cfg
	p := newFolder(cfg, m.scan)
	m.folderRunners[cfg.ID] = p
	go p.Serve()
}

// RemoveFolder stops and forgets a folder.
func (m *Model) RemoveFolder(id string) {
	m.restartMut.Lock()
	defer m.restartMut.Unlock()
	m.fmut.Lock()
	defer m.fmut.Unlock()
	m.tearDownFolderLocked(id)
}

// Need to hold lock on m.fmut when calling this.
func (m *Model) tearDownFolderLocked(id string) {
	// Stop the services running for this folder and wait for them to finish
	// stopping to prevent races on restart.
	runner, ok := m.folderRunners[id]

	m.fmut.Unlock()
	if ok {
		runner.Stop()
	}
	m.fmut.Lock()

	// Clean up our config maps
	delete(m.folderCfgs, id)
	delete(m.folderRunners, id)
}

// RestartFolder changes the configuration of a folder.
func (m *Model) RestartFolder(to FolderConfiguration) {
	// This mutex protects the entirety of the restart operation, preventing
	// there from being more than one folder restart operation in progress
	// at any given time.
	m.restartMut.Lock()
	defer m.restartMut.Unlock()

	m.fmut.Lock()
	defer m.fmut.Unlock()

	m.tearDownFolderLocked(to.ID)
	if !to.Paused {
		m.startFolderLocked(to)
	}
}

func (m *Model) checkFolderRunningLocked(folder string) error {
	if _, ok := m.folderRunners[folder]; ok {
		return nil
	}
	if _, ok := m.folderCfgs[folder]; !ok {
		return errFolderMissing
	}
	return errFolderNotRunning
}

// ScanFolders scans all folders and returns their errors.
func (m *Model) ScanFolders() map[string]error {
	m.fmut.RLock()
	folders := make([]string, 0, len(m.folderCfgs))
	for folder := range m.folderCfgs {
		folders = append(folders, folder)
	}
	m.fmut.RUnlock()

	errors := make(map[string]error, len(folders))
	var errorsMut sync.Mutex

	var wg sync.WaitGroup
	wg.Add(len(folders))
	for _, folder := range folders {
		go func() {
			err := m.ScanFolder(folder)
			if err != nil {
				errorsMut.Lock()
				errors[folder] = err
				errorsMut.Unlock()

				// Potentially sets the error twice, once in the scanner just
				// by doing a check, and once here, if the error returned is
				// the same one as returned by CheckHealth, though
				// duplicate set is handled by setError.
				m.fmut.RLock()
				srv := m.folderRunners[folder]
				m.fmut.RUnlock()
				srv.setError(err)
			}
			wg.Done()
		}()
	}
	wg.Wait()
	return errors
}

// ScanFolder scans a folder.
func (m *Model) ScanFolder(folder string) error {
	return m.ScanFolderSubdirs(folder, nil)
}

// ScanFolderSubdirs scans a part of a folder.
func (m *Model) ScanFolderSubdirs(folder string, subs []string) error {
	m.fmut.RLock()
	err := m.checkFolderRunningLocked(folder)
	runner := m.folderRunners[folder]
	m.fmut.RUnlock()

	if err != nil {
		return err
	}

	return runner.Scan(subs)
}
