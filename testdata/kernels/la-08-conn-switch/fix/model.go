package connections

import (
	"errors"
	"io"
	"log"
	"sync"
)

// Connection is a connection as the model sees it: Close closes the
// underlying connection.
type Connection struct {
	io.Closer
	*rawConnection
	Priority int
}

func (c Connection) Close() error {
	return c.Closer.Close()
}

type deviceDownloadState struct {
	mut     sync.Mutex
	folders map[string]int
}

func newDeviceDownloadState() *deviceDownloadState {
	return &deviceDownloadState{folders: make(map[string]int)}
}

type Model struct {
	conn            map[DeviceID]Connection
	closed          map[DeviceID]chan struct{}
	helloMessages   map[DeviceID]string
	devicePaused    map[DeviceID]bool
	deviceDownloads map[DeviceID]*deviceDownloadState
	pmut            sync.RWMutex // protects the above
}

func NewModel() *Model {
	return &Model{
		conn:            make(map[DeviceID]Connection),
		closed:          make(map[DeviceID]chan struct{}),
		helloMessages:   make(map[DeviceID]string),
		devicePaused:    make(map[DeviceID]bool),
		deviceDownloads: make(map[DeviceID]*deviceDownloadState),
	}
}

// Index is called when a new device is connected and we receive their full index.
// Implements the Receiver interface.
func (m *Model) Index(deviceID DeviceID, folder string, files []string) {
	m.pmut.RLock()
	downloads := m.deviceDownloads[deviceID]
	m.pmut.RUnlock()
	if downloads == nil {
		return
	}
	downloads.mut.Lock()
	downloads.folders[folder] = len(files)
	downloads.mut.Unlock()
}

// Closed is called when a connection has been closed
// Implements the Receiver interface.
func (m *Model) Closed(conn *rawConnection, err error) {
	device := conn.ID()

	m.pmut.Lock()
	delete(m.conn, device)
	delete(m.helloMessages, device)
	delete(m.deviceDownloads, device)
	closed := m.closed[device]
	delete(m.closed, device)
	m.pmut.Unlock()

	log.Printf("Connection to %s closed: %v", device, err)
	close(closed)
}

// ConnectedTo returns true if we are connected to the named device.
func (m *Model) ConnectedTo(deviceID DeviceID) (Connection, bool) {
	m.pmut.RLock()
	defer m.pmut.RUnlock()
	conn, ok := m.conn[deviceID]
	return conn, ok
}

// OnHello is called when an device connects to us.
func (m *Model) OnHello(deviceID DeviceID) error {
	m.pmut.RLock()
	defer m.pmut.RUnlock()
	if m.devicePaused[deviceID] {
		return errors.New("device is paused")
	}
	return nil
}

// AddConnection adds a new peer connection to the model.
func (m *Model) AddConnection(conn Connection, hello string) {
	deviceID := conn.ID()

	m.pmut.Lock()
	if oldConn, ok := m.conn[deviceID]; ok {
		log.Println("Replacing old connection", oldConn, "with", conn, "for", deviceID)
		// There is an existing connection to this device that we are
		// replacing. We must close the existing connection and wait for the
		// close to complete before adding the new connection. We do the
		// actual close without holding pmut as the connection will call
		// back into Closed() for the cleanup.
		closed := m.closed[deviceID]
		m.pmut.Unlock()
		closeRawConn(oldConn)
		<-closed
		m.pmut.Lock()
	}

	m.conn[deviceID] = conn
	m.closed[deviceID] = make(chan struct{})
	m.deviceDownloads[deviceID] = newDeviceDownloadState()

	m.helloMessages[deviceID] = hello

	log.Printf(`Device %s client is %q`, deviceID, hello)

	conn.Start()
	m.pmut.Unlock()
}

// ConnectionStats returns the clients of the connected devices.
func (m *Model) ConnectionStats() map[DeviceID]string {
	m.pmut.RLock()
	defer m.pmut.RUnlock()
	res := make(map[DeviceID]string, len(m.conn))
	for device := range m.conn {
		res[device] = m.helloMessages[device]
	}
	return res
}

func closeRawConn(conn io.Closer) error {
	return conn.Close()
}
