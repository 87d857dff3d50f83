"""The Portuguese of the studies beside capacity: sockets, operations, filters, chains, searches."""

from __future__ import annotations

CONDITIONS = {
    "{n} Mpps": "{n} Mpps",
    "{n} Gbit/s": "{n} Gbit/s",
    "no link": "sem enlace",
    "trains of {n}": "rajadas de {n}",
    "1 flow": "1 fluxo",
    "{n} flows": "{n} fluxos",
    "1 lcore": "1 lcore",
    "{n} lcores": "{n} lcores",
    "{n} sources": "{n} origens",
    "{n} pings/s": "{n} pings/s",
    "zero copy": "sem cópia",
    "copy": "com cópia",
    "need_wakeup": "need_wakeup",
    "no need_wakeup": "sem need_wakeup",
    "busy poll": "busy poll",
    "no busy poll": "sem busy poll",
    "{name} hook": "gancho {name}",
    "batches of {n}": "lotes de {n}",
    "one socket": "um socket",
    "a socket for each queue": "um socket por fila",
    "packets from nowhere": "pacotes de lugar nenhum",
    "by rings": "por anéis",
    "memif": "memif",
    "bursts of {n}": "lotes de {n}",
    "hugepages": "páginas grandes",
    "{n} memory channels": "{n} canais de memória",
    "lcores share cores": "lcores dividem núcleos",
    "tables of {n}": "tabelas de {n}",
    "{n} registers": "{n} registradores",
    "no operations": "sem operações",
    "through a hub": "por um concentrador",
    "direct": "direta",
    "NSH-aware": "ciente de NSH",
    "NSH-unaware": "não ciente de NSH",
    "MD type {n}": "MD tipo {n}",
}
DRAWN = {
    "Dropped (Mpps)": "Descartados (Mpps)",
    "Round-trip time (µs)": "Tempo de ida e volta (µs)",
    "Lost pings (%)": "Pings perdidos (%)",
    "Lost packets (%)": "Pacotes perdidos (%)",
    "no ping came back": "nenhum ping voltou",
    "least squares": "mínimos quadrados",
    "Service functions in the chain": "Funções de serviço na cadeia",
    "Packets of a batch, at most": "Pacotes por lote, no máximo",
    "{n} a packet": "{n} por pacote",
    "Working set": "Conjunto de trabalho",
    "Time of one operation (ns)": "Tempo de uma operação (ns)",
    "Operations a packet": "Operações por pacote",
    "Packets taken at once": "Pacotes tomados de uma vez",
    "lcores": "lcores",
    "registers": "registradores",
    "tables": "tabelas",
    "hashes": "hashes",
    "recirculation": "recirculação",
    "arithmetic": "aritmética",
    "Load (Mpps)": "Carga (Mpps)",
    "Load (% of the highest of the search)": "Carga (% da maior da busca)",
    "Lost frames (%)": "Quadros perdidos (%)",
    "Load (% of the highest that was carried)": "Carga (% da maior que foi suportada)",
    "NDR: nothing lost": "NDR: nada perdido",
    "PDR: little lost": "PDR: pouco perdido",
    "throughput (RFC 2544)": "vazão (RFC 2544)",
    "MRR: received at most": "MRR: máximo recebido",
    "no upper bound found": "sem limite superior",
    "no lower bound found": "sem limite inferior",
}
TITLES = {
    "AF_XDP throughput by settings of the socket": ("Vazão do AF_XDP por configuração do socket"),
    "Cost of an operation by its kind": "Custo de uma operação por tipo",
    "Cost of an operation against its working set": (
        "Custo de uma operação em função do conjunto de trabalho"
    ),
    "Throughput of pipelines against their operations": (
        "Vazão dos pipelines em função das operações"
    ),
    "Throughput of pipelines against frame size": (
        "Vazão dos pipelines em função do tamanho do quadro"
    ),
    "Throughput and latency of pipelines against the burst": (
        "Vazão e latência dos pipelines em função do lote"
    ),
    "Throughput of pipelines against lcores": "Vazão dos pipelines em função dos lcores",
    "What an operation costs, over all counts": "Quanto custa uma operação, em todas as contagens",
    "Mixes beside the sums of their parts": "Misturas ao lado das somas das suas partes",
    "Rates of pipelines": "Taxas dos pipelines",
    "Latency at shares of the carried load": "Latência em frações da carga suportada",
    "Packets dropped by each subsystem": "Pacotes descartados por subsistema",
    "Ping beside a filtered load": "Ping ao lado de uma carga filtrada",
    "Round-trip time against the length of the chain": (
        "Tempo de ida e volta em função do comprimento da cadeia"
    ),
    "Throughput and loss against the length of the chain": (
        "Vazão e perda em função do comprimento da cadeia"
    ),
    "Highest load that is carried, by search": "Maior carga suportada, por busca",
    "Latency against the share of the carried load": (
        "Latência em função da fração da carga suportada"
    ),
    "What each subsystem dropped": "O que cada subsistema descartou",
    "What an operation costs": "Quanto custa uma operação",
    "What the searches found": "O que as buscas encontraram",
    "What was measured": "O que foi medido",
    "Latency against memory accesses": "Latência em função dos acessos à memória",
    "Frame loss against the offered load": "Perda de quadros em função da carga oferecida",
}
CAPTIONS = {
    "One-way latency per packet, line rate offered. Marks: median over the runs of each "
    "run's statistic, bars from the smallest to the largest.": (
        "Latência de ida por pacote, taxa de linha oferecida. Marcas: mediana, entre as execuções, "
        "da estatística de cada uma, barras da menor à maior."
    ),
    "RFC 2544, section 26.3: share of the intended frames that did not come back. Marks: median "
    "of the searches, bars from the smallest to the largest.": (
        "RFC 2544, seção 26.3: fração dos quadros pretendidos que não voltou. Marcas: mediana das "
        "buscas, barras da menor à maior."
    ),
    "Service time on a core with the operations less that without any, over their number. "
    "Marks: median of the repetitions, bars from the smallest to the largest.": (
        "Tempo de serviço em um núcleo com as operações menos o tempo sem nenhuma, dividido pelo "
        "seu número. Marcas: mediana das repetições, barras da menor à maior."
    ),
    "Smallest frame. Marks: median of the repetitions, bars from the smallest to the "
    "largest; marks of one batch size lie side by side.": (
        "Menor quadro. Marcas: mediana das repetições, barras da menor à maior; as marcas de um "
        "mesmo tamanho de lote estão lado a lado."
    ),
    "Marks: median of the repetitions, bars from the smallest to the largest.": (
        "Marcas: mediana das repetições, barras da menor à maior."
    ),
    "Latency: one way per packet. Marks: median of the repetitions, bars from the smallest to the "
    "largest.": (
        "Latência: de ida por pacote. Marcas: mediana das repetições, barras da menor à maior."
    ),
    "A packet's time over the number of operations: for each, and what a kind costs once where "
    "three counts and more show that; 90 % intervals by drawing program loads again.": (
        "Tempo de um pacote sobre o número de operações: o de cada uma, e o que um tipo custa uma "
        "só vez onde três ou mais números o mostram; intervalos de 90 % por reamostragem das "
        "cargas do programa."
    ),
    "Time added to a packet; apart: measured over sum, less 1. An interaction is fitted where some "
    "mix of the same kinds is over 15 % apart, and is told for each operation of the kind that is "
    "fewest; the last column leaves the mix itself out of the fit.": (
        "Tempo acrescentado a um pacote; distância: medido sobre a soma, menos 1. Uma interação é "
        "ajustada onde alguma mistura dos mesmos tipos dista mais de 15 %, e é dada por operação "
        "do tipo menos frequente; a última coluna deixa a própria mistura fora do ajuste."
    ),
    "Medians of the repetitions. Gbit/s of frames with FCS; ns of one lcore.": (
        "Medianas das repetições. Gbit/s de quadros com FCS; ns de um lcore."
    ),
    "Medians over the searches; 100 % is the highest lower bound of the same search.": (
        "Medianas entre as buscas; 100 % é o maior limite inferior da mesma busca."
    ),
    "Rate of packets that the filter itself counted as dropped. Marks: median of the "
    "repetitions, bars from the smallest to the largest; subsystems by their median.": (
        "Taxa de pacotes que o próprio filtro contou como descartados. Marcas: mediana das "
        "repetições, barras da menor à maior; subsistemas ordenados pela mediana."
    ),
    "Marks: median over the runs of each run's median round-trip time and lost share, "
    "bars from the smallest to the largest; no time where no ping came back.": (
        "Marcas: mediana, entre as execuções, do tempo mediano de ida e volta e da fração perdida "
        "de cada uma, barras da menor à maior; sem tempo onde nenhum ping voltou."
    ),
    "Marks: median over the runs of each run's mean, bars from the smallest to the "
    "largest. Lines: least squares through all runs.": (
        "Marcas: mediana, entre as execuções, da média de cada uma, barras da menor à maior. "
        "Linhas: mínimos quadrados sobre todas as execuções."
    ),
    "Lost: share of the intended packets that did not arrive. Marks: median of the "
    "repetitions, bars from the smallest to the largest.": (
        "Perdidos: fração dos pacotes pretendidos que não chegou. Marcas: mediana das repetições, "
        "barras da menor à maior."
    ),
    "Each bar is one search of one program load: from the highest load that met the goal "
    "to the lowest that did not. Diamonds: mean received rate at the highest load, from "
    "the smallest to the largest trial.": (
        "Cada barra é uma busca de uma carga de programa: da maior carga que atingiu a meta à "
        "menor que não a atingiu. Losangos: taxa média recebida na maior carga, do menor ao maior "
        "ensaio."
    ),
    "One-way latency per packet; 100 % is the highest lower bound of the same search. "
    "Marks: median over the searches of each one's statistic, bars from the smallest to "
    "the largest.": (
        "Latência de ida por pacote; 100 % é o maior limite inferior da mesma busca. Marcas: "
        "mediana, entre as buscas, da estatística de cada uma, barras da menor à maior."
    ),
    "{chain}: {none} µs + {slope} µs per function from the first on, R² = {share}.": (
        "{chain}: {none} µs + {slope} µs por função a partir da primeira, R² = {share}."
    ),
    "Medians of the repetitions. CPU: busy share of the queues' cores; memory: what "
    "program and tables hold in the kernel.": (
        "Medianas das repetições. CPU: fração ocupada dos núcleos das filas; memória: o que "
        "programa e tabelas ocupam no kernel."
    ),
    "Medians of the repetitions, at the most operations a packet that were measured.": (
        "Medianas das repetições, no maior número de operações por pacote medido."
    ),
    "A row for each goal of each search: the load that met it and the load that did not. "
    "The truth lies between the two; of MRR it is the mean received rate.": (
        "Uma linha para cada meta de cada busca: a carga que a atingiu e a carga que não a "
        "atingiu. A verdade está entre as duas; para MRR, a taxa média recebida."
    ),
}
LEFT_OUT = {
    "the load was not varied in the split mode": "a carga não foi variada no modo split",
    "the table has no latency at line-rate load over several access counts": (
        "a tabela não tem latência sob carga de taxa de linha para vários números de acessos"
    ),
    "no search took the frame loss of RFC 2544": (
        "nenhuma busca mediu a perda de quadros da RFC 2544"
    ),
    "no ping ran beside a filter": "nenhum ping acompanhou um filtro",
    "no run of a filter can be believed": "nenhuma execução de um filtro é confiável",
    "no ping ran through a chain": "nenhum ping passou por uma cadeia",
    "no load but pings was offered to a chain": (
        "nenhuma carga além de pings foi oferecida a uma cadeia"
    ),
    "no setting of a socket was varied": "nenhuma configuração de socket foi variada",
    "no run of one kind of operation has its counterpart without any": (
        "nenhuma execução de um só tipo de operação tem a sua contraparte sem operações"
    ),
    "the working set of no operation was varied": (
        "o conjunto de trabalho de nenhuma operação foi variado"
    ),
    "no mix of operations has all of its parts measured alone": (
        "nenhuma mistura de operações tem todas as suas partes medidas isoladamente"
    ),
    "no run of a pipeline can be believed": "nenhuma execução de um pipeline é confiável",
    "no pipeline was given operations": "nenhum pipeline recebeu operações",
    "the frame size of no pipeline with operations was varied": (
        "o tamanho do quadro de nenhum pipeline com operações foi variado"
    ),
    "the burst of no pipeline was varied": "o lote de nenhum pipeline foi variado",
    "the lcores of no pipeline were varied": "os lcores de nenhum pipeline foram variados",
    "no search was finished": "nenhuma busca foi concluída",
    "no load-latency curve was taken": "nenhuma curva de latência por carga foi medida",
}
ANSWERS = {
    "{program}: {best} drops most, {high} Mpps, and {least} least, {low} Mpps.": (
        "{program}: {best} descarta mais, {high} Mpps, e {least} descarta menos, {low} Mpps."
    ),
    "Round trip through a chain, {said}": "Ida e volta por uma cadeia, {said}",
    "Highest {goal} found on {path}: at least {low} Mpps, {end}.": (
        "Maior {goal} encontrada em {path}: ao menos {low} Mpps, {end}."
    ),
    "below {high} Mpps": "abaixo de {high} Mpps",
    "no higher load was tried": "nenhuma carga maior foi tentada",
    "See the figures.": "Veja as figuras.",
}
STUDIES = {**CONDITIONS, **DRAWN, **TITLES, **CAPTIONS, **LEFT_OUT, **ANSWERS}
