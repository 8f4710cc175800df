package fix

import (
	"net"
	"strconv"
	"sync"
	"time"
)

type DeviceID [32]byte

type CacheEntry struct {
	Address string
	Seen    time.Time
}

type Address struct {
	IP   []byte
	Port uint16
}

type Device struct {
	ID        []byte
	Addresses []Address
}

type Announce struct {
	This  Device
	Extra []Device
	From  net.Addr
}

type Discoverer struct {
	myID          DeviceID
	cacheLifetime time.Duration
	registry      map[DeviceID][]CacheEntry
	registryLock  sync.RWMutex
	bcastTick     chan time.Time
}

func NewDiscoverer(id DeviceID, lifetime time.Duration) *Discoverer {
	return &Discoverer{
		myID:          id,
		cacheLifetime: lifetime,
		registry:      make(map[DeviceID][]CacheEntry),
		bcastTick:     make(chan time.Time, 1),
	}
}

// Start listens on every beacon with a goroutine of its own.
func (d *Discoverer) Start(beacons []chan Announce) {
	for _, b := range beacons {
		go d.recvAnnouncements(b)
	}
}

func (d *Discoverer) recvAnnouncements(b chan Announce) {
	for pkt := range b {
		var newDevice bool
		for _, extra := range pkt.Extra {
			if d.registerDevice(nil, extra) {
				newDevice = true
			}
		}
		if d.registerDevice(pkt.From, pkt.This) {
			newDevice = true
		}
		if newDevice {
			select {
			case d.bcastTick <- time.Now():
			default:
			}
		}
	}
}

func (d *Discoverer) registerDevice(addr net.Addr, device Device) bool {
	var id DeviceID
	copy(id[:], device.ID)

	d.registryLock.Lock()
	defer d.registryLock.Unlock()

	current := d.filterCached(d.registry[id])

	orig := len(current)

	for _, a := range device.Addresses {
		deviceAddr := resolve(addr, a)
		if deviceAddr == "" {
			continue
		}
		known := false
		for i := range current {
			if current[i].Address == deviceAddr {
				current[i].Seen = time.Now()
				known = true
				break
			}
		}
		if !known {
			current = append(current, CacheEntry{Address: deviceAddr, Seen: time.Now()})
		}
	}

	d.registry[id] = current

	return len(current) > orig
}

func resolve(addr net.Addr, a Address) string {
	if len(a.IP) > 0 {
		return net.JoinHostPort(net.IP(a.IP).String(), strconv.Itoa(int(a.Port)))
	}
	if ua, ok := addr.(*net.UDPAddr); ok {
		return net.JoinHostPort(ua.IP.String(), strconv.Itoa(int(a.Port)))
	}
	return ""
}

// filterCached returns a fresh list of the entries that have not expired.
func (d *Discoverer) filterCached(c []CacheEntry) []CacheEntry {
	res := make([]CacheEntry, 0, len(c)+1)
	for _, e := range c {
		if time.Since(e.Seen) <= d.cacheLifetime {
			res = append(res, e)
		}
	}
	return res
}

func (d *Discoverer) Lookup(device DeviceID) []string {
	d.registryLock.RLock()
	cached := d.filterCached(d.registry[device])
	d.registryLock.RUnlock()

	addrs := make([]string, len(cached))
	for i := range cached {
		addrs[i] = cached[i].Address
	}
	return addrs
}
