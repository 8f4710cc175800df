package model

import (
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"time"
)

type DeviceID [32]byte

var (
	errDeviceUnknown = errors.New("unknown device")
)

type HelloResult struct {
	DeviceName    string
	ClientName    string
	ClientVersion string
}

// deviceDownloadState holds current download state of all files that a remote
// device is downloading.
type deviceDownloadState struct {
	mut   sync.RWMutex
	files map[string][]int32
}

func newDeviceDownloadState() *deviceDownloadState {
	return &deviceDownloadState{files: make(map[string][]int32)}
}

// Connection is the raw connection together with the protocol on it.
type Connection struct {
	net.Conn
	*rawConnection
	Priority int
}

func (c Connection) Close() error { return c.Conn.Close() }

type progressEmitter struct {
	mut   sync.Mutex
	conns map[DeviceID]*rawConnection
}

func (t *progressEmitter) temporaryIndexUnsubscribe(conn Connection) {
	t.mut.Lock()
	delete(t.conns, conn.ID())
	t.mut.Unlock()
}

type Model struct {
	devices         map[DeviceID]string // known devices, immutable
	progressEmitter *progressEmitter

	pmut            sync.RWMutex // protects the below
	conn            map[DeviceID]Connection
	closed          map[DeviceID]chan struct{}
	helloMessages   map[DeviceID]HelloResult
	deviceDownloads map[DeviceID]*deviceDownloadState
}

func NewModel(devices map[DeviceID]string) *Model {
	return &Model{
		devices:         devices,
		progressEmitter: &progressEmitter{conns: make(map[DeviceID]*rawConnection)},
		conn:            make(map[DeviceID]Connection),
		closed:          make(map[DeviceID]chan struct{}),
		helloMessages:   make(map[DeviceID]HelloResult),
		deviceDownloads: make(map[DeviceID]*deviceDownloadState),
	}
}

// OnHello is called when an device connects to us.
func (m *Model) OnHello(remoteID DeviceID, hello HelloResult) error {
	if _, ok := m.devices[remoteID]; ok {
		// The device exists
		return nil
	}
	return errDeviceUnknown
}

// ConnectedTo returns true if we are connected to the named device.
func (m *Model) ConnectedTo(deviceID DeviceID) bool {
	m.pmut.RLock()
	_, ok := m.conn[deviceID]
	m.pmut.RUnlock()
	return ok
}

// Closed is called when a connection has been closed
func (m *Model) Closed(rc *rawConnection, err error) {
	device := rc.ID()

	m.pmut.Lock()
	conn, ok := m.conn[device]
	if ok {
		m.progressEmitter.temporaryIndexUnsubscribe(conn)
	}
	delete(m.conn, device)
	delete(m.helloMessages, device)
	delete(m.deviceDownloads, device)
	closed := m.closed[device]
	delete(m.closed, device)
	m.pmut.Unlock()

	log.Printf("Connection to %x closed: %v", device, err)
	close(closed)
}

// close will close the underlying connection for a given device
func (m *Model) close(device DeviceID) {
	m.pmut.Lock()
	conn, ok := m.conn[device]
	m.pmut.Unlock()

	if !ok {
		// There is no connection to close
		return
	}

	closeRawConn(conn)
}

// RestartFolder closes the connections of the devices that share the folder.
func (m *Model) RestartFolder(folder string, devices []DeviceID) {
	for _, device := range devices {
		m.close(device)
	}
}

// AddConnection adds a new peer connection to the model. An initial index will
// be sent to the connected peer, thereafter index updates whenever the local
// folder changes.
func (m *Model) AddConnection(conn Connection, hello HelloResult) {
	deviceID := conn.ID()

	m.pmut.Lock()
	if oldConn, ok := m.conn[deviceID]; ok {
		log.Printf("Replacing old connection for %x", deviceID)
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

	log.Printf(`Device %x client is "%s %s" named "%s"`, deviceID, hello.ClientName, hello.ClientVersion, hello.DeviceName)

	conn.Start()
	m.pmut.Unlock()
}

// DownloadProgress updates the state of the blocks that the device has.
func (m *Model) DownloadProgress(device DeviceID, file string, blocks []int32) {
	m.pmut.RLock()
	state := m.deviceDownloads[device]
	m.pmut.RUnlock()
	if state == nil {
		return
	}
	state.mut.Lock()
	state.files[file] = blocks
	state.mut.Unlock()
}

func closeRawConn(conn Connection) error {
	// Close() does more than it says on the tin. Specifically, it sends a TLS
	// alert message, which might block forever if the connection is dead
	// and we don't have a deadline set.
	conn.SetWriteDeadline(time.Now().Add(250 * time.Millisecond))
	return conn.Close()
}

// receiver is what the protocol needs of the model.
type receiver interface {
	// A file was downloaded in part by the peer device
	DownloadProgress(device DeviceID, file string, blocks []int32)
	// The peer device closed the connection
	Closed(conn *rawConnection, err error)
}

type rawConnection struct {
	id       DeviceID
	receiver receiver
	cr       io.Reader
	closed   chan struct{}
	once     sync.Once
}

func newRawConnection(id DeviceID, r io.Reader, rcv receiver) *rawConnection {
	return &rawConnection{id: id, receiver: rcv, cr: r, closed: make(chan struct{})}
}

// Start creates the goroutines for sending and receiving of messages.
func (c *rawConnection) Start() { go c.readerLoop() }

func (c *rawConnection) ID() DeviceID { return c.id }

func (c *rawConnection) readerLoop() {
	buf := make([]byte, 4096)
	for {
		n, err := c.cr.Read(buf)
		if err != nil {
			c.close(err)
			return
		}
		c.receiver.DownloadProgress(c.id, string(buf[:n]), nil)
	}
}

func (c *rawConnection) close(err error) {
	c.once.Do(func() {
		close(c.closed)

		go c.receiver.Closed(c, err)
	})
}
