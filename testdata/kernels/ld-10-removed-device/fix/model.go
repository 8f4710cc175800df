package connections

import (
	"errors"
	"net"
	"sync"
)

var (
	errDeviceUnknown = errors.New("unknown device")
	errDevicePaused  = errors.New("device is paused")
)

type DeviceID string

type HelloResult struct{ DeviceName string }

type DeviceConfiguration struct {
	DeviceID    DeviceID
	Addresses   []string
	CertName    string
	Compression int
	Paused      bool
}

// Wrapper is a wrapper around the configuration; changes come from the API.
type Wrapper struct {
	mut     sync.Mutex
	devices map[DeviceID]DeviceConfiguration
	pending map[DeviceID]string
}

// Device returns the configuration for the given device and an "ok" bool.
func (w *Wrapper) Device(id DeviceID) (DeviceConfiguration, bool) {
	w.mut.Lock()
	defer w.mut.Unlock()
	dev, ok := w.devices[id]
	return dev, ok
}

// RawCopy returns a copy of the configured devices.
func (w *Wrapper) RawCopy() []DeviceConfiguration {
	w.mut.Lock()
	defer w.mut.Unlock()
	devs := make([]DeviceConfiguration, 0, len(w.devices))
	for _, dev := range w.devices {
		devs = append(devs, dev)
	}
	return devs
}

// SetDevice adds a new device to the configuration, or overwrites an existing
// device with the same ID.
func (w *Wrapper) SetDevice(dev DeviceConfiguration) {
	w.mut.Lock()
	defer w.mut.Unlock()
	w.devices[dev.DeviceID] = dev
}

// RemoveDevice removes the device from the configuration
func (w *Wrapper) RemoveDevice(id DeviceID) {
	w.mut.Lock()
	defer w.mut.Unlock()
	delete(w.devices, id)
}

func (w *Wrapper) AddOrUpdatePendingDevice(id DeviceID, name string) {
	w.mut.Lock()
	defer w.mut.Unlock()
	w.pending[id] = name
}

type Model struct {
	cfg  *Wrapper
	name string

	pmut sync.RWMutex
	conn map[DeviceID]completeConn
}

// OnHello is called when an device connects to us.
// This allows us to extract some information from the Hello message
// and add it to a list of known devices ahead of any checks.
func (m *Model) OnHello(remoteID DeviceID, addr net.Addr, hello HelloResult) error {
	cfg, ok := m.cfg.Device(remoteID)
	if !ok {
		m.cfg.AddOrUpdatePendingDevice(remoteID, hello.DeviceName)
		return errDeviceUnknown
	}

	if cfg.Paused {
		return errDevicePaused
	}

	return nil
}

// GetHello is called when we are about to connect to some remote device.
func (m *Model) GetHello(id DeviceID) HelloResult {
	return HelloResult{DeviceName: m.name}
}

func (m *Model) ConnectedTo(id DeviceID) bool {
	m.pmut.RLock()
	defer m.pmut.RUnlock()
	_, ok := m.conn[id]
	return ok
}

// AddConnection adds a new peer connection to the model.
func (m *Model) AddConnection(conn completeConn, hello HelloResult) {
	m.pmut.Lock()
	defer m.pmut.Unlock()
	m.conn[conn.id] = conn
}
