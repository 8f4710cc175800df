// Package fix answers messages of connected devices.
package fix

import (
	"errors"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/bxst-01-cluster-config-device/fix/config"
)

var errDeviceUnknown = errors.New("unknown device")

// Connection talks to one device.
type Connection interface {
	Index(folder string, from int64)
	Close(err error)
}

// Folder is announced by the other side.
type Folder struct {
	ID, Label string
	Paused    bool
	MaxSeq    int64
}

type fileSet struct {
	mu       sync.Mutex
	sequence map[string]int64
}

func (f *fileSet) Sequence(device string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sequence[device]
}

// EventLogger receives events.
type EventLogger interface {
	Log(event string, data map[string]string)
}

// Model is safe for concurrent use.
type Model struct {
	cfg      *config.Wrapper
	evLogger EventLogger

	fmut        sync.RWMutex
	folderFiles map[string]*fileSet

	pmut sync.RWMutex // after fmut
	conn map[string]Connection
}

// AddConnection registers a connection of a configured device.
func (m *Model) AddConnection(device string, c Connection) error {
	if _, ok := m.cfg.Devices()[device]; !ok {
		return errDeviceUnknown
	}
	m.pmut.Lock()
	old := m.conn[device]
	m.conn[device] = c
	m.pmut.Unlock()
	if old != nil {
		old.Close(errors.New("replaced"))
	}
	return nil
}

// CommitConfiguration is called after every change of the configuration.
func (m *Model) CommitConfiguration(to map[string]config.Device) {
	m.pmut.Lock()
	var drop []Connection
	for id, c := range m.conn {
		if _, ok := to[id]; !ok {
			drop = append(drop, c)
			delete(m.conn, id)
		}
	}
	m.pmut.Unlock()
	for _, c := range drop {
		c.Close(errDeviceUnknown)
	}
}

// ClusterConfig handles the announcement of the folders of a device.
func (m *Model) ClusterConfig(device string, folders []Folder) error {
	m.pmut.RLock()
	conn, ok := m.conn[device]
	m.pmut.RUnlock()
	if !ok {
		return errDeviceUnknown
	}

	changed := false
	deviceCfg, ok := m.cfg.Devices()[device]
	if !ok {
		// Device disappeared from config while processing cluster-config.
		return errDeviceUnknown
	}

	// Needs to happen outside of the fmut, as can cause CommitConfiguration
	if deviceCfg.AutoAcceptFolders {
		for _, f := range folders {
			changed = m.cfg.AutoAccept(f.ID, device) || changed
		}
	}

	m.fmut.RLock()
	for _, f := range folders {
		fcfg, ok := m.cfg.Folder(f.ID)
		if !ok || !fcfg.SharedWith(device) {
			if deviceCfg.IgnoredFolder(f.ID) {
				continue
			}
			m.cfg.AddOrUpdatePendingFolder(f.ID, f.Label, device)
			changed = true
			m.evLogger.Log("FolderRejected", map[string]string{"folder": f.ID, "device": device})
			continue
		}
		if f.Paused || fcfg.Paused {
			continue
		}
		fs, ok := m.folderFiles[f.ID]
		if !ok {
			continue
		}
		conn.Index(f.ID, min(f.MaxSeq, fs.Sequence(device)))
	}
	m.fmut.RUnlock()

	if changed {
		m.cfg.Save()
	}
	return nil
}
