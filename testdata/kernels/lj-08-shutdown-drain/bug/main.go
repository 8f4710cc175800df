package main

import (
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

type prometheus struct {
	unwrittenSamples chan *Result

	ruleManager     *RuleManager
	targetManager   *TargetManager
	notifications   chan NotificationReqs
	storage         *memorySeriesStorage
	remoteTSDBQueue *TSDBQueueManager

	closeOnce sync.Once
}

func (p *prometheus) interruptHandler() {
	notifier := make(chan os.Signal, 1)
	signal.Notify(notifier, os.Interrupt, syscall.SIGTERM)

	<-notifier

	log.Print("Received SIGINT/SIGTERM; Exiting gracefully...")

	p.Close()
}

func (p *prometheus) Close() {
	p.closeOnce.Do(p.close)
}

func (p *prometheus) close() {
	// The "Done" remarks are a misnomer for some subsystems due to lack of
	// blocking and synchronization.
	log.Print("Shutdown has been requested; subsytems are closing:")
	p.targetManager.Stop()
	log.Print("Remote Target Manager: Done")
	p.ruleManager.Stop()
	log.Print("Rule Executor: Done")

	close(p.unwrittenSamples)

	if err := p.storage.Close(); err != nil {
		log.Print("Error closing local storage: ", err)
	}
	log.Print("Local Storage: Done")

	if p.remoteTSDBQueue != nil {
		p.remoteTSDBQueue.Close()
		log.Print("Remote Storage: Done")
	}

	close(p.notifications)
	log.Print("Sundry Queues: Done")
	log.Print("See you next time!")
}

func main() {
	memStorage := NewMemorySeriesStorage("/tmp/metrics")
	remoteTSDBQueue := NewTSDBQueueManager(512)
	go remoteTSDBQueue.Run()

	unwrittenSamples := make(chan *Result, 4096)

	// Queue depth will need to be exposed
	targetManager := NewTargetManager(unwrittenSamples, 15*time.Second)
	notifications := make(chan NotificationReqs, 100)

	ruleManager := NewRuleManager(unwrittenSamples, notifications, time.Minute)
	ruleManager.Run()
	targetManager.Run([]string{"http://localhost:9090/metrics"})

	go func() {
		for reqs := range notifications {
			log.Print("Sending notifications: ", len(reqs))
		}
	}()

	prometheus := &prometheus{
		unwrittenSamples: unwrittenSamples,

		ruleManager:     ruleManager,
		targetManager:   targetManager,
		notifications:   notifications,
		storage:         memStorage,
		remoteTSDBQueue: remoteTSDBQueue,
	}
	defer prometheus.Close()

	go prometheus.interruptHandler()

	// TODO(all): Migrate this into prometheus.serve().
	for block := range unwrittenSamples {
		if block.Err == nil && len(block.Samples) > 0 {
			memStorage.AppendSamples(block.Samples)
			if remoteTSDBQueue != nil {
				remoteTSDBQueue.Queue(block.Samples)
			}
		}
	}
}
