package rules

import (
	"log"
	"os"
	"sync"
	"time"
)

// app runs the rule manager together with the storage it writes to.
type app struct {
	ruleManager *Manager
	storage     interface{ Close() error }
	ruleFiles   func() ([]string, error)
	interval    time.Duration

	hup       chan os.Signal
	reloadCh  chan chan error
	term      chan os.Signal
	cancelHup chan struct{}
}

// run blocks until the application was told to terminate.
func (a *app) run() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		a.ruleManager.Run()
	}()

	// Reload handler.
	go func() {
		for {
			select {
			case <-a.hup:
				if err := a.reloadConfig(); err != nil {
					log.Println("Error reloading config:", err)
				}
			case rc := <-a.reloadCh:
				rc <- a.reloadConfig()
			case <-a.cancelHup:
				return
			}
		}
	}()

	<-a.term
	log.Println("Received an OS signal, exiting gracefully...")
	close(a.cancelHup)
	a.ruleManager.Stop()
	wg.Wait()
	if err := a.storage.Close(); err != nil {
		log.Println("Error stopping storage:", err)
	}
}

func (a *app) reloadConfig() error {
	files, err := a.ruleFiles()
	if err != nil {
		return err
	}
	return a.ruleManager.Update(a.interval, files)
}
