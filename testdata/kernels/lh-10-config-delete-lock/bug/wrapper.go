package api

import (
	"encoding/json"
	"errors"
	"os"
	"sync"
)

type FolderConfiguration struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Paused bool   `json:"paused"`
}

type DeviceConfiguration struct {
	DeviceID string `json:"deviceID"`
	Name     string `json:"name"`
	Paused   bool   `json:"paused"`
}

type OptionsConfiguration struct {
	MaxSendKbps int `json:"maxSendKbps"`
	MaxRecvKbps int `json:"maxRecvKbps"`
}

type Configuration struct {
	Folders []FolderConfiguration `json:"folders"`
	Devices []DeviceConfiguration `json:"devices"`
	Options OptionsConfiguration  `json:"options"`
}

// The Committer interface is implemented by objects that need to know about
// or have a say in configuration changes.
type Committer interface {
	CommitConfiguration(to Configuration)
}

// Waiter allows to wait for the given config operation to complete.
type Waiter interface {
	Wait()
}

// A wrapper around a Configuration that manages loads, saves and published
// notifications of changes to registered Handlers
type Wrapper struct {
	cfg  Configuration
	path string
	subs []Committer
	mut  sync.Mutex
}

func Wrap(path string, cfg Configuration) *Wrapper {
	return &Wrapper{cfg: cfg, path: path}
}

// Subscribe registers the given handler to be called on any future
// configuration changes.
func (w *Wrapper) Subscribe(c Committer) {
	w.mut.Lock()
	defer w.mut.Unlock()
	w.subs = append(w.subs, c)
}

// RawCopy returns a copy of the currently wrapped Configuration object.
func (w *Wrapper) RawCopy() Configuration {
	w.mut.Lock()
	defer w.mut.Unlock()
	return w.copyLocked()
}

func (w *Wrapper) copyLocked() Configuration {
	to := w.cfg
	to.Folders = append([]FolderConfiguration(nil), w.cfg.Folders...)
	to.Devices = append([]DeviceConfiguration(nil), w.cfg.Devices...)
	return to
}

func (w *Wrapper) replaceLocked(to Configuration) Waiter {
	w.cfg = to
	wg := new(sync.WaitGroup)
	for _, sub := range w.subs {
		wg.Add(1)
		go func(committer Committer) {
			committer.CommitConfiguration(to)
			wg.Done()
		}(sub)
	}
	return wg
}

func (w *Wrapper) FolderList() []FolderConfiguration {
	return w.RawCopy().Folders
}

// Folder returns the configuration for the given folder and an "ok" bool.
func (w *Wrapper) Folder(id string) (FolderConfiguration, bool) {
	w.mut.Lock()
	defer w.mut.Unlock()
	for _, folder := range w.cfg.Folders {
		if folder.ID == id {
			return folder, true
		}
	}
	return FolderConfiguration{}, false
}

// SetFolder adds a new folder to the configuration, or overwrites an existing
// folder with the same ID.
func (w *Wrapper) SetFolder(fld FolderConfiguration) (Waiter, error) {
	if fld.ID == "" {
		return nil, errors.New("folder without ID")
	}
	w.mut.Lock()
	defer w.mut.Unlock()
	newCfg := w.copyLocked()
	for i := range newCfg.Folders {
		if newCfg.Folders[i].ID == fld.ID {
			newCfg.Folders[i] = fld
			return w.replaceLocked(newCfg), nil
		}
	}
	newCfg.Folders = append(newCfg.Folders, fld)
	return w.replaceLocked(newCfg), nil
}

// RemoveFolder removes the folder from the configuration
func (w *Wrapper) RemoveFolder(id string) (Waiter, error) {
	w.mut.Lock()
	defer w.mut.Unlock()
	newCfg := w.copyLocked()
	for i := range newCfg.Folders {
		if newCfg.Folders[i].ID == id {
			newCfg.Folders = append(newCfg.Folders[:i], newCfg.Folders[i+1:]...)
			return w.replaceLocked(newCfg), nil
		}
	}
	return new(sync.WaitGroup), nil
}

// Device returns the configuration for the given device and an "ok" bool.
func (w *Wrapper) Device(id string) (DeviceConfiguration, bool) {
	w.mut.Lock()
	defer w.mut.Unlock()
	for _, device := range w.cfg.Devices {
		if device.DeviceID == id {
			return device, true
		}
	}
	return DeviceConfiguration{}, false
}

// SetDevice adds a new device to the configuration, or overwrites an existing
// device with the same ID.
func (w *Wrapper) SetDevice(dev DeviceConfiguration) (Waiter, error) {
	if dev.DeviceID == "" {
		return nil, errors.New("device without ID")
	}
	w.mut.Lock()
	defer w.mut.Unlock()
	newCfg := w.copyLocked()
	for i := range newCfg.Devices {
		if newCfg.Devices[i].DeviceID == dev.DeviceID {
			newCfg.Devices[i] = dev
			return w.replaceLocked(newCfg), nil
		}
	}
	newCfg.Devices = append(newCfg.Devices, dev)
	return w.replaceLocked(newCfg), nil
}

// RemoveDevice removes the device from the configuration
func (w *Wrapper) RemoveDevice(id string) (Waiter, error) {
	w.mut.Lock()
	defer w.mut.Unlock()
	newCfg := w.copyLocked()
	for i := range newCfg.Devices {
		if newCfg.Devices[i].DeviceID == id {
			newCfg.Devices = append(newCfg.Devices[:i], newCfg.Devices[i+1:]...)
			return w.replaceLocked(newCfg), nil
		}
	}
	return new(sync.WaitGroup), nil
}

// Options returns the current options configuration object.
func (w *Wrapper) Options() OptionsConfiguration {
	w.mut.Lock()
	defer w.mut.Unlock()
	return w.cfg.Options
}

// SetOptions replaces the current options configuration object.
func (w *Wrapper) SetOptions(opts OptionsConfiguration) Waiter {
	w.mut.Lock()
	defer w.mut.Unlock()
	newCfg := w.copyLocked()
	newCfg.Options = opts
	return w.replaceLocked(newCfg)
}

// Save writes the configuration to disk.
func (w *Wrapper) Save() error {
	w.mut.Lock()
	defer w.mut.Unlock()
	bs, err := json.Marshal(w.cfg)
	if err != nil {
		return err
	}
	return os.WriteFile(w.path, bs, 0o600)
}
