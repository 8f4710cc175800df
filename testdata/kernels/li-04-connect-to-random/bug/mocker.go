package simulations

import (
	"math/rand"
	"sync"
	"time"
)

// probabilistic randomly stops and restarts nodes of the network while
// other nodes join it, until quit is closed.
func probabilistic(net *Network, ids []ID, quit chan struct{}) {
	var wg sync.WaitGroup
	for {
		select {
		case <-quit:
			wg.Wait()
			return
		case <-time.After(100 * time.Millisecond):
		}
		id := ids[rand.Intn(len(ids))]
		if err := net.Stop(id); err != nil {
			continue
		}
		wg.Add(1)
		go func(id ID) {
			defer wg.Done()
			time.Sleep(50 * time.Millisecond)
			if net.Start(id) == nil {
				net.ConnectToRandomNode(id)
			}
		}(id)
	}
}
