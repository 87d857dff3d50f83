"""The Portuguese of a report; every message of the code is a key."""

from __future__ import annotations

AXES = {
    "Throughput (Mpps)": "Vazão (Mpps)",
    "Memory accesses per packet": "Acessos à memória por pacote",
    "Frame size (B, with FCS)": "Tamanho do quadro (B, com FCS)",
    "Queues, one core each": "Filas, um núcleo para cada",
    "Predicted throughput (Mpps)": "Vazão prevista (Mpps)",
    "Measured latency (µs)": "Latência medida (µs)",
    "Predicted latency (µs)": "Latência prevista (µs)",
    "Measured throughput (Mpps)": "Vazão medida (Mpps)",
    "Error of the prediction (%)": "Erro da previsão (%)",
    "Probability of\nsustaining line rate": "Probabilidade de\nsustentar a taxa de linha",
    "Offered load (Mpps)": "Carga oferecida (Mpps)",
    "Latency (µs)": "Latência (µs)",
    "Share of held-out cells": "Parcela das células não vistas",
    "Absolute error, at most (%)": "Erro absoluto, no máximo (%)",
    "CPU use of the queues' cores (%)": "Uso de CPU dos núcleos das filas (%)",
}
KEYS = {
    "1 queue": "1 fila",
    "held out: {split}": "não vistos: {split}",
    "Model {name}": "Modelo {name}",
    "All models": "Todos os modelos",
    "noise floor of single runs,\nmedian and 90th percentile": (
        "piso de ruído de execuções,\nmediana e percentil 90"
    ),
    "{n} queues": "{n} filas",
    "{n} B": "{n} B",
    "{n} accesses": "{n} acessos",
    "measured,\nsmallest to largest": "medido,\ndo menor ao maior",
    "model": "modelo",
    "line rate": "taxa de linha",
    "line rate,\nby frame size": "taxa de linha,\npor tamanho do quadro",
    "ideal: linear": "ideal: linear",
    "measured: sustained": "medido: sustenta",
    "measured: not": "medido: não sustenta",
    "{path}, held out, 90 % interval": "{path}, não vistos, intervalo de 90 %",
    "prediction = measurement": "previsão = medição",
    "± mean noise floor, {percent} %": "± piso de ruído médio, {percent} %",
    "median": "mediana",
    "mean": "média",
    "99th percentile": "percentil 99",
    "queueing model: mean": "modelo de filas: média",
    "fitted capacity": "capacidade ajustada",
    "evenly spaced": "espaçamento igual",
    "Poisson arrivals": "chegadas de Poisson",
    "in bursts": "em rajadas",
    "flooded": "em inundação",
    "measured": "medido",
}
TITLES = {
    "Where line rate is sustained": "Onde a taxa de linha é sustentada",
    "Throughput against memory accesses": "Vazão em função dos acessos à memória",
    "Throughput against frame size": "Vazão em função do tamanho do quadro",
    "Throughput against queues": "Vazão em função das filas",
    "Predictions of cells that the model had not seen": (
        "Previsões de células que o modelo não tinha visto"
    ),
    "Latency against offered load": "Latência em função da carga oferecida",
    "CPU use against offered load": "Uso de CPU em função da carga oferecida",
    "CPU use against memory accesses": "Uso de CPU em função dos acessos à memória",
}
CAPTIONS = {
    "Marks: median of the repetitions, bars from the smallest to the largest. Lines: the fitted "
    "model. Dashed: line rate.": (
        "Marcas: mediana das repetições, barras da menor à maior. Linhas: o modelo ajustado. "
        "Tracejado: taxa de linha."
    ),
    "Colour: the model's probability that at least 99 % of line rate is forwarded. Marks: "
    "whether the median of the repetitions was.": (
        "Cor: probabilidade, segundo o modelo, de que ao menos 99 % da taxa de linha seja "
        "encaminhada. Marcas: se a mediana das repetições o foi."
    ),
    "Smallest frame. Marks: median of the repetitions, bars from the smallest to the "
    "largest. Coloured lines: the fitted model. Grey: as many times the rate of the fewest "
    "queues. Dashed: line rate.": (
        "Menor quadro. Marcas: mediana das repetições, barras da menor à maior. Linhas coloridas: "
        "o modelo ajustado. Cinza: múltiplo da vazão com menos filas. Tracejado: taxa de linha."
    ),
    "Whole groups (datapath, program, queues, accesses) held out in turn. Marks: median of "
    "a cell's repetitions against the prediction; bars: its 90 % interval.": (
        "Grupos inteiros (caminho, programa, filas, acessos) deixados de fora, um a cada vez. "
        "Marcas: mediana das repetições de cada célula e sua previsão; barras: intervalo de 90 %."
    ),
    "One-way latency per packet. Marks: median over the runs of each run's statistic, bars "
    "from the smallest to the largest. Line: mean by the queueing model.": (
        "Latência de ida por pacote. Marcas: mediana, entre as execuções, da estatística de cada "
        "uma, barras da menor à maior. Linha: média segundo o modelo de filas."
    ),
    "Marks: median of the repetitions, bars from the smallest to the largest. Line: "
    "offered load over fitted capacity.": (
        "Marcas: mediana das repetições, barras da menor à maior. Linha: carga oferecida sobre "
        "capacidade ajustada."
    ),
    "Line rate offered. Marks: median of the repetitions, bars from the smallest to the "
    "largest. Lines: line rate over the fitted capacity of the cores.": (
        "Taxa de linha oferecida. Marcas: mediana das repetições, barras da menor à maior. "
        "Linhas: taxa de linha sobre a capacidade ajustada dos núcleos."
    ),
    "Box {box}; program {programs}; frames of {sizes} B; n = {cells} cells, {runs} runs; "
    "measured {dates}.": (
        "Máquina {box}; programa {programs}; quadros de {sizes} B; n = {cells} células, {runs} "
        "execuções; medido em {dates}."
    ),
    "Absolute error, median / mean: {error} %; noise floor of single runs: {floor} %; share of "
    "cells inside their interval: {coverage} %.": (
        "Erro absoluto, mediana / média: {error} %; piso de ruído de execuções isoladas: {floor} "
        "%; células dentro do seu intervalo: {coverage} %."
    ),
    "Made by: {command}": "Feito por: {command}",
    "at a date not recorded": "data não registrada",
    "{low} to {high}": "{low} a {high}",
    "{first} and {last}": "{first} e {last}",
}
LEFT_OUT = {
    "no run of the table offers line rate and can be used for capacity": (
        "nenhuma execução da tabela oferece a taxa de linha e serve para a capacidade"
    ),
    "accesses were not varied at line-rate load": (
        "os acessos não foram variados sob carga de taxa de linha"
    ),
    "frame size was not varied at line-rate load": (
        "o tamanho do quadro não foi variado sob carga de taxa de linha"
    ),
    "queues were not varied at line-rate load": (
        "as filas não foram variadas sob carga de taxa de linha"
    ),
    "accesses and frame sizes were not both varied at line-rate load": (
        "acessos e tamanhos de quadro não foram ambos variados sob carga de taxa de linha"
    ),
    "no model could be fitted": "nenhum modelo pôde ser ajustado",
    "the table names no link speed, so that there is no line rate": (
        "a tabela não informa a velocidade do enlace, portanto não há taxa de linha"
    ),
    "too few program loads to hold any out": (
        "poucas cargas de programa para deixar alguma de fora"
    ),
    "the table has no latency taken in the split mode": (
        "a tabela não tem latência medida no modo split"
    ),
    "the table has no CPU use taken in the split mode under a named load": (
        "a tabela não tem uso de CPU medido no modo split sob carga conhecida"
    ),
    "the table has no CPU use at line-rate load over several access counts": (
        "a tabela não tem uso de CPU sob carga de taxa de linha para vários números de acessos"
    ),
}
ANSWERS = {
    "No verdict: there is no line rate or no model to judge by.": (
        "Sem veredito: não há taxa de linha ou não há modelo para julgar."
    ),
    "At {size} B ({rate} Mpps) {path}": "Com {size} B ({rate} Mpps), {path}",
    "{start} sustains line rate with {queues} at all that was measured, {n} accesses a packet.": (
        "{start} sustenta a taxa de linha com {queues} em tudo o que foi medido, até {n} acessos "
        "por pacote."
    ),
    "{start} sustains line rate with {queues} up to about {n} accesses a packet.": (
        "{start} sustenta a taxa de linha com {queues} até cerca de {n} acessos por pacote."
    ),
    "{start} does not sustain line rate: with {queues} and {n} accesses a packet it forwards "
    "{mpps} Mpps ({low} to {high}, 90 %), limited by {limit}.": (
        "{start} não sustenta a taxa de linha: com {queues} e {n} acessos por pacote encaminha "
        "{mpps} Mpps ({low} a {high}, 90 %). Limitante: {limit}."
    ),
    "CPU time per packet": "tempo de CPU por pacote",
    "CPU time of the kernel stage": "tempo de CPU do estágio no kernel",
    "CPU time of the user stage": "tempo de CPU do estágio de usuário",
    "the single socket": "o socket único",
    "the NIC": "a placa de rede",
    "the offered load": "a carga oferecida",
    "yes, ≤ {n}": "sim, ≤ {n}",
    "no": "não",
    "not known": "não se sabe",
    "90 % sure: ≤ {n}": "90 % de certeza: ≤ {n}",
    "yes ≤ {n}": "sim ≤ {n}",
    "no ≥ {n}": "não ≥ {n}",
    "yes and no from {low} to {high}": "sim e não de {low} a {high}",
    "measured: {seen}": "medido: {seen}",
    "{limit}: {n} cells": "{limit}: {n} células",
    "path": "caminho",
    "queues": "filas",
    "constant": "constante",
    "value": "valor",
    "90 % interval": "intervalo de 90 %",
    "all cells": "todas as células",
    "cells below line rate": "células abaixo da taxa de linha",
    "error, median / mean (%)": "erro, mediana / média (%)",
    "noise floor, median / mean (%)": "piso de ruído, mediana / média (%)",
    "limited by": "limitante",
    "The verdict on line rate was right for {right} % of the held-out cells, and {inside} % "
    "lay inside their 90 % interval, whose half-width is {width} % on average.": (
        "O veredito sobre a taxa de linha estava certo para {right} % das células não vistas, e "
        "{inside} % ficaram dentro de seu intervalo de 90 %, cuja meia-largura média é {width} %."
    ),
}
