package caddy

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

// startAdmin starts the admin endpoint.
func startAdmin(ln net.Listener) {
	mux := http.NewServeMux()
	mux.HandleFunc("/stop", handleStop)
	server := &http.Server{Handler: mux}
	serverMu.Lock()
	localAdminServer = server
	serverMu.Unlock()
	go func() {
		if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			log.Printf("admin server shutdown for unknown reason: %v", err)
		}
	}()
}

func handleStop(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	exitProcess(context.Background(), log.Default())
}

// TrapSignals create signal/interrupt handlers as best it can for the
// current OS.
func TrapSignals() {
	trapSignalsCrossPlatform()
	trapSignalsPosix()
}

// trapSignalsCrossPlatform captures SIGINT or interrupt (depending
// on the OS), which initiates a graceful shutdown. A second SIGINT
// or interrupt will forcefully exit the process immediately.
func trapSignalsCrossPlatform() {
	go func() {
		shutdown := make(chan os.Signal, 1)
		signal.Notify(shutdown, os.Interrupt)

		for i := 0; true; i++ {
			<-shutdown

			if i > 0 {
				log.Print("force quit")
				osExit(ExitCodeForceQuit)
			}

			go exitProcessFromSignal("SIGINT")
		}
	}()
}

// trapSignalsPosix captures POSIX-only signals.
func trapSignalsPosix() {
	go func() {
		sigchan := make(chan os.Signal, 1)
		signal.Notify(sigchan, syscall.SIGTERM, syscall.SIGQUIT)

		for sig := range sigchan {
			switch sig {
			case syscall.SIGQUIT:
				osExit(ExitCodeForceQuit)
			case syscall.SIGTERM:
				exitProcessFromSignal("SIGTERM")
			}
		}
	}()
}

// exitProcessFromSignal exits the process from a system signal.
func exitProcessFromSignal(sigName string) {
	log.Printf("shutting down, signal %s", sigName)
	exitProcess(context.TODO(), log.Default())
}
